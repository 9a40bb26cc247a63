"""Generate annotated Chinese text, and train the character tagger on it."""
