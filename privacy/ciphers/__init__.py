"""Entity ciphers: a plain value becomes a token, and back."""
