"""Spans of private values, and the rule that resolves overlaps between them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from sage_rag.privacy.entities import EntityType


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range `[start, end)` of code points that contains one value.

    `score` is the recognizer's confidence in [0, 1].
    """

    start: int
    end: int
    entity_type: EntityType
    score: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"a span needs 0 <= start < end, got [{self.start}, {self.end})")

    def __len__(self) -> int:
        return self.end - self.start


def resolve_overlaps(spans: Iterable[Span]) -> list[Span]:
    """Return disjoint spans that cover the same characters, in order of position.

    The longer span wins, then the higher score, then the lower start. The rest of a losing span
    becomes a span of its own: no character that a recognizer marked as private is uncovered.
    """
    starts: list[int] = []
    kept: list[Span] = []
    for span in sorted(spans, key=lambda s: (-len(s), -s.score, s.start, s.entity_type)):
        for start, end in _uncovered(span, kept, starts):
            place = bisect_left(starts, start)
            starts.insert(place, start)
            kept.insert(place, Span(start, end, span.entity_type, span.score))
    return kept


def remainder(span: Span, others: list[Span]) -> list[Span]:
    """Return the parts of a span that no other span covers; `others` are disjoint and in order."""
    parts = _uncovered(span, others, [other.start for other in others])
    return [Span(start, end, span.entity_type, span.score) for start, end in parts]


def _uncovered(span: Span, kept: list[Span], starts: list[int]) -> list[tuple[int, int]]:
    """Return the parts of `span` that no kept span covers; both lists are in order."""
    first, last = max(0, bisect_right(starts, span.start) - 1), bisect_left(starts, span.end)
    position, rest = span.start, []
    for other in kept[first:last]:
        if other.end <= position:
            continue
        if position < other.start:
            rest.append((position, other.start))
        position = max(position, other.end)
    if position < span.end:
        rest.append((position, span.end))
    return rest
