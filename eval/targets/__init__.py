"""Targets: what is attacked."""
