"""Targets: the systems that are attacked."""
