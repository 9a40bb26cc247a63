"""Write answers from passages."""
