"""The study of what a small model learns from encrypted texts."""
