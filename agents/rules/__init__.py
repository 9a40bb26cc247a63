"""SAGE's roles without a model: the same seams, filled by rules. Pure Python."""
