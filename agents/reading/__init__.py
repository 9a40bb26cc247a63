"""Read whether a text answers a question, and where: a small trained network."""
