"""Attacks on a language model: what it gives away of the texts that it was trained on."""
