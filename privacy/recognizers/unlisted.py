"""Capitalised words in a row that no list knows: the safety net under the gazetteer.

No list holds every name. Two capitalised words side by side inside a sentence, one of which is
neither an ordinary word, a medicine nor a known name, are more often a name than anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from privacy.recognizers.lexicon import Kind
from privacy.recognizers.wordlists import (
    CLOSINGS,
    EPONYM_HEADS,
    FUNCTION_WORDS,
    GREETINGS,
    ORGANIZATION_LEADS,
    PLACE_PREPOSITIONS,
    TITLES,
)
from privacy.recognizers.words import Word

SCORE = 0.4
_DOSE = re.compile(r"[ -]{0,2}(?:\d|tablets?\b|tabs?\b|capsules?\b|syrup\b|cream\b|gel\b)", re.I)
_NEVER = FUNCTION_WORDS | GREETINGS | CLOSINGS | ORGANIZATION_LEADS | EPONYM_HEADS
_NEVER_FIRST = _NEVER | TITLES
"""A title begins no name of this kind but can end one: "Clydeside General"."""


def unlisted_rows(text: str, words: list[Word]) -> Iterator[tuple[int, int, float]]:
    """Yield first and last word of each such row, and a score."""
    i = 0
    while i < len(words):
        last = _row_end(words, i)
        first = i + 1 if words[i].begins and not words[i].unlisted else i
        if last > first and _telling(text, words, first, last):
            yield first, last, SCORE
        i = last + 1


def stands_for_a_place(words: list[Word], first: int) -> bool:
    """Return whether the row that begins at `first` follows a preposition of place."""
    return bool(first and words[first - 1].folded in PLACE_PREPOSITIONS)


def _row_end(words: list[Word], i: int) -> int:
    """Return the last word of the row that begins at `i`: `i` itself if there is none."""
    last = i
    if not _fits(words[i]) or words[i].folded in _NEVER_FIRST:
        return last
    while last + 1 < len(words) and words[last + 1].follows and _fits(words[last + 1]):
        last += 1
    return last


def _fits(word: Word) -> bool:
    return (
        word.capitalised and not word.shouted and len(word.text) > 1 and word.folded not in _NEVER
    )


def _telling(text: str, words: list[Word], first: int, last: int) -> bool:
    row = words[first : last + 1]
    if any(Kind.DRUG in word.kinds for word in row) or _DOSE.match(text, row[-1].end):
        return False
    after = words[last + 1] if last + 1 < len(words) else None
    if after and after.follows and after.folded in EPONYM_HEADS:
        return False
    return any(word.unlisted for word in row)
