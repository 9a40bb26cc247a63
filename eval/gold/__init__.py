"""Hand-written texts with marked private values, for measuring recognizers.

No text trains a model. All people, places and numbers are invented.
"""
