"""Ciphers that only experiments use: short pseudonyms, and two that repeat published figures."""
