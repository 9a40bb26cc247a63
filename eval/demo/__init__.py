"""The demo: the whole way once, on invented dialogues, and what it looked like."""
