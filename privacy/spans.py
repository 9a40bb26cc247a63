"""Spans of private values, and the rule that resolves overlaps between them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sage_rag.privacy.entities import TAGGED, EntityType

SPECIFIC = frozenset(EntityType) - {*TAGGED, EntityType.SPECIAL_CATEGORY}
"""Types that are found by a form or a checksum: a card, an IBAN, an IP address. A special category
is found by its words, which names contain, too ("Gay", "Jewish Museum")."""
GENERIC = frozenset((EntityType.ID, EntityType.DATE_TIME, EntityType.AGE, EntityType.QUANTITY))
"""Types that a tagger gives to any number or code by its context. Its other types are names."""

_SURE = 0.9
"""Score of a form with a checksum or with no other meaning: an IBAN, an e-mail address. A user name
or a telephone number has less."""


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

    1. A specific type (`SPECIFIC`) wins over a generic one (`GENERIC`) of about the same extent,
       whatever their scores; over a name, such as a PERSON, where its form is sure (`_SURE`) or
       the extent is the same. About the same: they share at least half of the longer span. So a
       card number that a tagger calls an ID with score .99 is a CREDIT_CARD, and an address that
       it calls a date is an IP_ADDRESS. It takes the whole of a loser that starts or ends with it:
       "MRN-" belongs to "MRN-4471902".
    2. No other span cuts a specific one: it stays whole unless a longer span contains it.
    3. Otherwise the longer span wins, then the higher score, then the lower start.

    The rest of a losing span becomes a span of its own: no character that a recognizer marked as
    private is uncovered.
    """
    found = list(spans)
    others = sorted((s for s in found if s.entity_type not in SPECIFIC), key=lambda s: s.start)
    begins = [s.start for s in others]
    values = [_widened(s, others, begins) for s in found if s.entity_type in SPECIFIC]
    specific = _longest_first(values)
    starts = [s.start for s in specific]
    beaten = {span for span in others if _is_beaten(span, specific, starts)}
    return _longest_first([*values, *(s for s in others if s not in beaten)], beaten)


def _longest_first(spans: Iterable[Span], last: Iterable[Span] = ()) -> list[Span]:
    """Return disjoint spans: the longest come first, and each keeps what is uncovered before it."""
    starts: list[int] = []
    kept: list[Span] = []
    ordered = [*sorted(spans, key=_rank), *sorted(last, key=_rank)]
    for span in ordered:
        for start, end in _uncovered(span, kept, starts):
            place = bisect_left(starts, start)
            starts.insert(place, start)
            kept.insert(place, Span(start, end, span.entity_type, span.score))
    return kept


def _rank(span: Span) -> tuple[int, float, int, EntityType]:
    return -len(span), -span.score, span.start, span.entity_type


def _widened(span: Span, others: Sequence[Span], begins: Sequence[int]) -> Span:
    """Return a specific span with the extent of the longest code or name that it wins over.

    `others` are in order of their starts, `begins`.
    """
    # One that begins further left is more than twice as long.
    near = others[bisect_left(begins, span.start - len(span)) : bisect_right(begins, span.start)]
    around = [
        other
        for other in near
        if span.end <= other.end
        and (
            other.start == span.start or other.end == span.end
        )  # a table's cells are on both sides
        and (other.entity_type is EntityType.ID or other.entity_type not in GENERIC)
        and _wins(span, other)
    ]
    widest = max(around, key=len, default=span)
    return Span(widest.start, widest.end, span.entity_type, span.score)


def _wins(specific: Span, other: Span) -> bool:
    """Return whether a specific span takes the type of another one of about its extent."""
    if other.entity_type not in GENERIC and specific.score < _SURE:
        return (specific.start, specific.end) == (other.start, other.end)
    return 2 * _shared(specific, other) >= max(len(specific), len(other))


def _is_beaten(span: Span, specific: Sequence[Span], starts: Sequence[int]) -> bool:
    """Return whether a specific span replaces this one; `specific` are disjoint."""
    first = max(0, bisect_right(starts, span.start) - 1)
    near = specific[first : bisect_left(starts, span.end)]
    return any(_cuts(span, other) or _wins(other, span) for other in near)


def _cuts(span: Span, other: Span) -> bool:
    """Return whether two spans overlap and neither contains the other."""
    return 0 < _shared(span, other) < min(len(span), len(other))


def _shared(span: Span, other: Span) -> int:
    return min(span.end, other.end) - max(span.start, other.start)


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
