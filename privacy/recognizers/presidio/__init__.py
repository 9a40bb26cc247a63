"""Presidio's expressions on our engine."""
