"""Guards against extraction, with `--guard`: long quotations, and questions about one record."""
