"""Facts of a sentence in canonical forms, each with the words that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from sage_rag.privacy.gate.facts.marks import Mark
from sage_rag.privacy.gate.facts.sentences import Sentence, Token

_WINDOW = 6
"""Tokens on either side of a fact among which its words are searched."""
_OTHER_SEGMENT = 0.4
_ABOUT_AS_NEAR = 0.35
_PREPOSITIONS = frozenset("from to by until after before at since".split())
_DOSES = frozenset({
    "milligram", "millilitre", "unit", "tablet", "puff", "drop", "spoon", "sachet", "milligram/",
    "unit/", "millilitre/",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact at the token `at`, text range `[start, end)` within the sentence.

    `near`: the content words close to it, with weights in (0, 1]. `head`: the content words that it
    governs, in order: what a negation denies, whose side it is. `number`: that of a quantity, as
    low, high and unit, and as `written`; `comparator`: its mark ("at least"), or empty.
    """

    kind: str
    value: str
    at: int
    start: int
    end: int
    near: tuple[tuple[frozenset[str], float], ...] = ()
    head: tuple[frozenset[str], ...] = ()
    comparator: str = ""
    written: Fraction = Fraction(-1)
    number: tuple[Fraction, Fraction, str] = (Fraction(0), Fraction(0), "")


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition or a time relation: the words under it, and those of the main clause."""

    value: str
    start: int
    end: int
    under: frozenset[str]
    main: frozenset[str]


@dataclass(slots=True)
class Facts:
    """All facts of one sentence.

    `content`: words to find the sentence by. `lexical`: all words but function words and
    quantities. `denied`: the keys of all words in the clauses of its negations.
    """

    sentence: Sentence
    marks: list[Mark]
    keys: frozenset[str]
    content: list[Token]
    quantities: list[Fact] = field(default_factory=list)
    negations: list[Fact] = field(default_factory=list)
    sides: list[Fact] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    lexical: list[Token] = field(default_factory=list)
    denied: frozenset[str] = frozenset()
    poles: Mapping[tuple[int, int], Fact] = field(default_factory=dict)
    names: list[Fact] = field(default_factory=list)
    persons: Mapping[str, Mark] = field(default_factory=dict)

    def values(self, kind: str) -> set[str]:
        """The values of all marks of a kind."""
        return {mark.value for mark in self.marks if mark.kind == kind}

    def first(self, kind: str, value: str) -> Mark | None:
        """The first mark with a value."""
        return next((m for m in self.marks if m.kind == kind and m.value == value), None)

    def span(self, mark: Mark) -> tuple[int, int]:
        """The text range of a mark within the sentence."""
        tokens = self.sentence.tokens
        return tokens[mark.start].start, tokens[mark.end - 1].end


def near_words(
    tokens: tuple[Token, ...], first: int, last: int
) -> tuple[tuple[frozenset[str], float], ...]:
    """Return the content words around the tokens `[first, last)` with their weights."""
    found = []
    segment = tokens[first].segment
    if first and tokens[first - 1].text in _PREPOSITIONS:
        found.append((frozenset({f"~{tokens[first - 1].text}"}), 1.0))
    for at in (*range(first - 1, first - 1 - _WINDOW, -1), *range(last, last + _WINDOW)):
        if 0 <= at < len(tokens) and (tokens[at].content or tokens[at].kind == "number"):
            distance = first - at if at < first else at - last + 1
            weight = 1 / (1 + 0.3 * (distance - 1))
            same = tokens[at].segment == segment
            found.append((tokens[at].keys, weight if same else weight * _OTHER_SEGMENT))
    return tuple(found)


def binding(one: Fact, other: Fact, without: frozenset[str] = frozenset()) -> float:
    """Return how much two facts stand near the same words; 0 if they share none.

    `without`: keys of words that do not count.
    """
    total = 0.0
    for keys, weight in one.near:
        if not keys.isdisjoint(without):
            continue
        total += max(
            (min(weight, w) for theirs, w in other.near if not keys.isdisjoint(theirs)), default=0.0
        )
    return total


def common_words(one: Fact, other: Fact) -> frozenset[str]:
    """Return the keys of the words that stand about as near to one fact as to the other."""
    far = {key: weight for keys, weight in other.near for key in keys}
    return frozenset(
        key
        for keys, weight in one.near
        for key in keys
        if key in far and abs(weight - far[key]) < _ABOUT_AS_NEAR
    )


def is_dose(fact: Fact) -> bool:
    """Return whether a quantity has the unit of a dose."""
    return fact.number[2] in _DOSES
