"""Pretraining on ciphertext, then on plain text, and the controls of that comparison."""
