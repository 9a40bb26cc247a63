"""Keys that turn tokens back into plain values."""
