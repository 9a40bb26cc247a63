"""Spans of private values, and the rule that resolves overlaps between them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sage_rag.privacy.entities import TAGGED, EntityType

SPECIFIC = frozenset(EntityType) - {*TAGGED, EntityType.SPECIAL_CATEGORY}
"""Types that are found by a form or a checksum: a card, an IBAN, an IP address. The others are
generic: a tagger chooses among `TAGGED` by context, and calls every number or code an ID. A special
category is found by its words, which names contain, too ("Gay", "Jewish Museum")."""


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

    This is the only place that decides between two types for one value:

    1. A specific type (`SPECIFIC`) wins over a generic one of about the same extent, whatever their
       scores: an overlap of at least half of the longer span. So a card number that a tagger calls
       an ID with score .99 is a CREDIT_CARD, and an address that it calls a date is an IP_ADDRESS.
    2. Otherwise the longer span wins, then the higher score, then the lower start.

    The rest of a losing span becomes a span of its own: no character that a recognizer marked as
    private is uncovered.
    """
    found = list(spans)
    specific = sorted((s for s in found if s.entity_type in SPECIFIC), key=lambda s: s.start)
    beginnings = [s.start for s in specific]
    starts: list[int] = []
    kept: list[Span] = []

    def rank(span: Span) -> tuple[bool, int, float, int, EntityType]:
        beaten = _loses_to_specific(span, specific, beginnings)
        return beaten, -len(span), -span.score, span.start, span.entity_type

    for span in sorted(found, key=rank):
        for start, end in _uncovered(span, kept, starts):
            place = bisect_left(starts, start)
            starts.insert(place, start)
            kept.insert(place, Span(start, end, span.entity_type, span.score))
    return kept


def _loses_to_specific(span: Span, specific: Sequence[Span], beginnings: Sequence[int]) -> bool:
    """Return whether a generic span has about the extent of a specific one.

    `specific`: in order of their starts, which are `beginnings`.
    """
    if span.entity_type in SPECIFIC:
        return False
    # A span that starts further left than this overlaps by less than half of the longer one.
    first, last = bisect_left(beginnings, span.start - len(span)), bisect_left(beginnings, span.end)
    return any(_about_the_same(span, other) for other in specific[first:last])


def _about_the_same(span: Span, other: Span) -> bool:
    shared = min(span.end, other.end) - max(span.start, other.start)
    return 2 * shared >= max(len(span), len(other))


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
