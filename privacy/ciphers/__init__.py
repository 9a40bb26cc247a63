"""Ciphers that turn a plain value into a token and back."""
