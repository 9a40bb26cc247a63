"""Measures that train or load a model."""
