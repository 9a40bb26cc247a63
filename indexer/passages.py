"""Passages: the records of an index, as retrieval hands them on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from privacy.protect import join_fields


@dataclass(frozen=True, slots=True)
class Passage:
    """One retrieved record of an index version.

    `id` is public and stable within a version; `source` is the owner's name for the document, a
    `SOURCE_[...]` token unless the recipe publishes plain text; `score` grows with relevance.
    """

    id: str
    source: str
    fields: Mapping[str, str]
    score: float = 0.0

    @property
    def text(self) -> str:
        """All fields joined."""
        return join_fields(self.fields)
