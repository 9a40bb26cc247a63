"""Readers of other libraries."""
