"""Detectors: find material of the originals in an output."""
