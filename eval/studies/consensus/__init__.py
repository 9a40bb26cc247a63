"""The study of recipe `consensus`: what it hides, and what it is still worth."""
