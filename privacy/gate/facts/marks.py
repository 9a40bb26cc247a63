"""Marks: the phrases of a sentence that carry a fact, found by a list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from sage_rag.privacy.gate.facts.words import mark_lists

_BLOCKING = frozenset(
    {"comparator", "force", "condition", "certainty", "negation", "quantity", "idiom"}
)
"""Kinds whose phrases of several words keep other phrases from beginning inside of them."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A phrase of a fact at the tokens `[start, end)`; `value` names its meaning."""

    kind: str
    value: str
    start: int
    end: int


def find_marks(words: Sequence[str]) -> list[Mark]:
    """Return the marks of a sentence in order; per place and kind, those of the longest phrases.

    `words`: its tokens in lower case, without contractions.
    """
    found: list[Mark] = []
    table, blocked = _phrases(), 0
    for at, word in enumerate(words):
        if word not in table:
            continue
        length, marks = _at(words, at, table[word])
        if at < blocked:
            # "no more than" is one comparator; "could not" inside of a longer phrase is read once.
            marks = [m for m in marks if at + length > blocked]
        found += marks
        if length > 1 and any(m.kind in _BLOCKING for m in marks):
            blocked = max(blocked, at + length)
    return found


def _at(
    words: Sequence[str], at: int, phrases: Sequence[tuple[tuple[str, ...], str, str]]
) -> tuple[int, list[Mark]]:
    longest, found = 0, list[Mark]()
    for phrase, kind, value in phrases:
        size = len(phrase)
        if size < longest:
            break
        if tuple(words[at : at + size]) == phrase:
            longest = size
            found.append(Mark(kind, value, at, at + size))
    return longest, found


@cache
def _phrases() -> Mapping[str, list[tuple[tuple[str, ...], str, str]]]:
    """Return phrases by their first word, the longest first."""
    table: defaultdict[str, list[tuple[tuple[str, ...], str, str]]] = defaultdict(list)
    for kind, values in mark_lists().items():
        if kind == "drug":
            continue
        for value, listed in values.items():
            for phrase in {" ".join(each.split()) for each in listed.split(",")}:
                words = tuple(phrase.split())
                table[words[0]].append((words, kind, value))
    for listed_phrases in table.values():
        listed_phrases.sort(key=lambda row: (-len(row[0]), row))
    return dict(table)
