"""Recognizers that run on models: one file per library, found by name in `..catalog`."""
