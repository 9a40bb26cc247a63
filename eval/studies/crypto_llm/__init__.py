"""The study of what pretraining on ciphertext teaches a small model."""
