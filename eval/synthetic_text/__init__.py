"""Measures of synthetic text: what it leaks, what it copies, what it is worth."""
