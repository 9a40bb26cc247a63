"""Training on protected text."""
