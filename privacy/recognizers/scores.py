"""Recall and precision of a recognizer on values that people marked.

*Found*: every letter and digit of a value lies in some span, except titles ("Mr"). Then no part of
it stays in clear, whatever type it got. *Right*: a span of a type, after overlaps are resolved,
touches a value of that type. Character precision: the share of letters and digits in spans that
people marked, too.

Source: Pilán et al. (2022), arXiv 2202.00443, §5: recall on whole entities. Differs: types are not
compared, since a value under a wrong type is protected, too.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from sage_rag.common.proportions import Proportion
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span, resolve_overlaps

_K = TypeVar("_K", str, EntityType)
_RISKS = {"DIRECT": 0, "QUASI": 1}
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Sir|Judge|Herr|Frau|M|Mme)\b\.?")


@dataclass(frozen=True, slots=True)
class GoldValue:
    """A marked range `[start, end)`.

    `accepted`: the types that count as right; empty for a label that is not a private value.
    `risk`: how it identifies a person ("DIRECT"), where the annotators stated it. `entity`: what it
    mentions, where they stated it; several values can mention one person.
    """

    start: int
    end: int
    label: str
    accepted: frozenset[EntityType]
    risk: str = ""
    entity: str = ""


@dataclass(frozen=True, slots=True)
class GoldText:
    """A text with its marked values.

    `annotated`: only spans of these types count for precision, since no one marked others;
    `None`: all count. `unsure`: ranges that may be private or not; they do not count either.
    """

    text: str
    values: tuple[GoldValue, ...]
    annotated: frozenset[EntityType] | None = None
    unsure: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class RecognitionCounts:
    """Running counts of values by label and by risk, of spans by type, and of characters."""

    found: Counter[str] = field(default_factory=Counter)
    named: Counter[str] = field(default_factory=Counter)
    """Values that spans of an accepted type cover; the denominator is `marked`."""
    marked: Counter[str] = field(default_factory=Counter)
    found_by_risk: Counter[str] = field(default_factory=Counter)
    marked_by_risk: Counter[str] = field(default_factory=Counter)
    right: Counter[EntityType] = field(default_factory=Counter)
    flagged: Counter[EntityType] = field(default_factory=Counter)
    characters_right: int = 0
    characters: int = 0

    def add(self, gold: GoldText, spans: Iterable[Span]) -> None:
        """Count one text. `spans` are a recognizer's, with overlaps."""
        resolved = resolve_overlaps(spans)
        significant = _significant(gold.text)
        self._count_values(gold.values, resolved, significant)
        counted = decidable(gold, resolved)
        self._count_characters(gold, counted, significant)
        for span in counted:
            self.flagged[span.entity_type] += 1
            self.right[span.entity_type] += is_right(span, gold.values)

    @property
    def precision(self) -> Proportion:
        """The share of characters in spans that people marked, too."""
        return Proportion.of(self.characters_right, self.characters)

    def _count_values(
        self, values: Sequence[GoldValue], spans: Sequence[Span], significant: set[int]
    ) -> None:
        flagged = _places((s.start, s.end) for s in spans)
        for value in values:
            needed = significant & set(range(value.start, value.end))
            fitting = _places((s.start, s.end) for s in spans if s.entity_type in value.accepted)
            self.marked[value.label] += 1
            self.found[value.label] += needed <= flagged
            self.named[value.label] += needed <= fitting
            if value.risk:
                self.marked_by_risk[value.risk] += 1
                self.found_by_risk[value.risk] += needed <= flagged

    def _count_characters(
        self, gold: GoldText, spans: Sequence[Span], significant: set[int]
    ) -> None:
        flagged = significant & _places((s.start, s.end) for s in spans) - _places(gold.unsure)
        self.characters += len(flagged)
        self.characters_right += len(flagged & _places((v.start, v.end) for v in gold.values))


@dataclass(frozen=True, slots=True)
class GoldEntity:
    """A person, date or other thing that a text mentions, and whether spans cover all mentions.

    `risk`: the highest of its mentions: DIRECT before QUASI before others.
    """

    label: str
    risk: str
    covered: bool


def entities_of(gold: GoldText, spans: Iterable[Span]) -> Iterator[GoldEntity]:
    """Yield the marked entities of a text; a value of no stated entity is one of its own.

    Source: Pilán et al. (2022), arXiv 2202.00443, §5: an entity is protected if all its mentions
    are.
    """
    significant = _significant(gold.text)
    flagged = _places((s.start, s.end) for s in spans)
    mentions: dict[str, list[GoldValue]] = defaultdict(list)
    for value in gold.values:
        mentions[value.entity or f"{value.start}-{value.end}"].append(value)
    for values in mentions.values():
        covered = all(significant & set(range(v.start, v.end)) <= flagged for v in values)
        riskiest = min(values, key=lambda v: _RISKS.get(v.risk, len(_RISKS)))
        yield GoldEntity(values[0].label, riskiest.risk, covered)


def shares(some: Mapping[_K, int], of: Mapping[_K, int]) -> dict[_K, Proportion]:
    """Return the proportion of each key of `of`, sorted by key."""
    return {key: Proportion.of(some.get(key, 0), of[key]) for key in sorted(of, key=str)}


def decidable(gold: GoldText, spans: Iterable[Span]) -> list[Span]:
    """Return the spans that are known to be right or wrong."""
    return [
        span
        for span in spans
        if (gold.annotated is None or span.entity_type in gold.annotated)
        and (is_right(span, gold.values) or not _doubtful(span, gold.unsure))
    ]


def is_right(span: Span, values: Iterable[GoldValue]) -> bool:
    """Return whether a span touches a value of its type."""
    return any(
        value.start < span.end and span.start < value.end and span.entity_type in value.accepted
        for value in values
    )


def _doubtful(span: Span, unsure: Iterable[tuple[int, int]]) -> bool:
    return any(start < span.end and span.start < end for start, end in unsure)


def _significant(text: str) -> set[int]:
    """Return the places of letters and digits outside of titles."""
    titles = _places(match.span() for match in _TITLE.finditer(text))
    return {i for i, character in enumerate(text) if character.isalnum()} - titles


def _places(ranges: Iterable[tuple[int, int]]) -> set[int]:
    return {place for start, end in ranges for place in range(start, end)}
