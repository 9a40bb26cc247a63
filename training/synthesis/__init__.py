"""Synthesis of training text from entity graphs of private documents, with encrypted values."""
