"""The server, which holds no keys, and the edge, which holds a keyset and no corpus."""
