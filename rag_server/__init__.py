"""The server's zone (no keys), and the edge (a keyset, no corpus)."""
