"""Chinese text with its values marked, and the character tagger that learns from it."""
