"""The edge: the same API on the user's machine, with a keyset between user and server."""
