"""Disguised spellings, read as a person would read them."""
