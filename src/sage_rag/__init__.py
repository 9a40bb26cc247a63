"""Retrieval over a synthetic, encrypted index; each package is a folder at the top level."""
