"""`sage-rag eval reader`: figures and calibration of what reads whether a record answers."""
