"""Stores: vectors and words of an index version on disk."""
