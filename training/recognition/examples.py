"""An annotated text, and what it says about what it does not annotate."""

from __future__ import annotations

from dataclasses import dataclass

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span


@dataclass(frozen=True, slots=True)
class Example:
    """A text with the spans that people, or the generator that wrote it, marked.

    `annotated`: the types of which every value is marked. Of any other type the text says
    nothing, so a tagger must not learn from it that there is none. `source` names the set;
    `document` keeps the texts of one document on one side of a split. `unsure`: ranges of which
    the text says nothing for any type; they overlap no span.
    """

    text: str
    spans: tuple[Span, ...]
    annotated: frozenset[EntityType]
    source: str
    document: str
    unsure: tuple[tuple[int, int], ...] = ()
