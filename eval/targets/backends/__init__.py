"""Adapters to outside libraries, one file each."""
