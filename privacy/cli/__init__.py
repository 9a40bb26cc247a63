"""The kernel's verbs of `sage-rag`."""
