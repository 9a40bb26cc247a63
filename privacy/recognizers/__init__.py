"""Recognizers: each finds spans of private values in a text."""
