"""Judges that need a model; nothing here is imported unless it is asked for."""
