"""Attacks and measurements: what leaks, and what protection costs."""
