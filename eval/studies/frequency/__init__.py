"""The study of part words: what they find, and what a stolen index reveals."""
