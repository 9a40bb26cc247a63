"""Keys: who may turn tokens back into plain values."""
