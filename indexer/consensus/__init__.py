"""Passages of what at least k subjects of a corpus say."""
