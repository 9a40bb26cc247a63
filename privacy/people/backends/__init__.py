"""Judges of gender that need a library."""
