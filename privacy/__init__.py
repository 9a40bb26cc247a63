"""What is private, how it is hidden, and who may see it."""
