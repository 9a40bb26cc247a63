"""Redact: a mark instead of the value."""

from __future__ import annotations

from sage_rag.privacy.entities import EntityType


def redact(entity_type: EntityType) -> str:
    """Return the mark that replaces a redacted value: `<PERSON>`. Irreversible."""
    return f"<{entity_type}>"
