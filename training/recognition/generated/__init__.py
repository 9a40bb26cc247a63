"""Generate annotated English text from templates, for cases that no open set covers."""

from sage_rag.training.recognition.generated.corpus import generate

__all__ = ["generate"]
