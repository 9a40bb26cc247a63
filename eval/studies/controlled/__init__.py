"""Controlled generation on court cases: what each method leaks, and what its text is worth."""
