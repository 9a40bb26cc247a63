"""Stores: how an index version keeps vectors and words on disk."""
