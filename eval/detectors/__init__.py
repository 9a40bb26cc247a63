"""Detectors: what of the originals stands in an output."""
