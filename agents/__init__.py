"""The agents that turn a protected record into a synthetic one: text in, text out."""
