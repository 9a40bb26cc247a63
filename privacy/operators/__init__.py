"""Operators: what stands in a text instead of a value. One file each, and what they need."""
