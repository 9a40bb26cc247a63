"""Adapters to model libraries, one file each."""
