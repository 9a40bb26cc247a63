"""Values with a form: patterns, checksums and context words."""
