"""What a model learns from texts about invented persons, and how it is measured."""
