"""Annotated training text from our own templates, for what no open set of annotations holds."""

from sage_rag.training.recognition.generated.corpus import generate

__all__ = ["generate"]
