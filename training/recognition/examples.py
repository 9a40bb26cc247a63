"""An annotated text, with the types and ranges that its annotation covers."""

from __future__ import annotations

from dataclasses import dataclass

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span


@dataclass(frozen=True, slots=True)
class Example:
    """A text with the spans that annotators, or its generator, marked.

    `annotated`: the types of which every value is marked; for other types, an unmarked word may
    be private. `source`: the name of the set. `document`: texts of one document belong to one
    split. `unsure`: ranges that may be private of any type; they overlap no span.
    """

    text: str
    spans: tuple[Span, ...]
    annotated: frozenset[EntityType]
    source: str
    document: str
    unsure: tuple[tuple[int, int], ...] = ()
