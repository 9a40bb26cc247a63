"""`sage-rag train` and its verbs."""
