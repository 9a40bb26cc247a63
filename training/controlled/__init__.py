"""Controlled generation: private synthetic text by control codes."""
