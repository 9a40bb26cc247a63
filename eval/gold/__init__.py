"""Texts written by hand with the private values in them marked: recognizers are judged by them.

None of them trains anything, and all people, places and numbers in them are invented.
"""
