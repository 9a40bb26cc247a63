"""SAGE's roles done by a chat model."""
