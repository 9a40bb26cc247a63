"""The parts of a question that asks several things. English."""

from __future__ import annotations

import re

from sage_rag.rag_server.answering.sentences import content_stems

_MOST_PARTS = 8
"""Each part is embedded; a text with more question marks is no list of questions."""
_PART_ENDS = re.compile(
    r"\?\s+|,?\s+and\s+(?=(?:for |to |in )?(?:what|which|how|who|whom|when|where|why)\b)",
    re.IGNORECASE,
)


def parts_of(question: str) -> list[str]:
    """Return the parts of a question that asks several things; empty if it asks one, or many."""
    split = _PART_ENDS.split(question)
    parts = [part.strip() for part in split if content_stems(part)] if len(split) > 1 else []
    return parts if 1 < len(parts) <= _MOST_PARTS else []
