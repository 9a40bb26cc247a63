"""The owner's zone: a corpus becomes an immutable, published index version."""
