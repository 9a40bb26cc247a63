"""Edits: the changes of wording that cannot change the meaning of a sentence.

Phrases are those of `wording.toml`, contractions those of `contractions.py`, `then` after a
condition that of `clauses.py`; numbers are found here. An edit costs the content words that the new
wording lacks, since a search finds a record by its content words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sage_rag.agents.lexicon import content_stems
from sage_rag.agents.rules.clauses import consequences
from sage_rag.agents.rules.contractions import toggles
from sage_rag.agents.rules.phrases import phrases
from sage_rag.privacy.english import ONES
from sage_rag.privacy.tokens import PLACEHOLDER
from sage_rag.privacy.words import tokenize

_NUMBERS = ONES[1:]
_NUMBER = re.compile(
    rf"(?<![\w.,/-])(?<!\bor )(?<!\bto )(?<!\band )(?P<number>\d{{1,2}}|{'|'.join(_NUMBERS[1:])})"
    r"(?= (?:minutes?|hours?|days?|weeks?|months?|years?|times|nights?)\b)",
    re.IGNORECASE,
)
"""Not `one`: `one day it stopped`."""
_COUNT = re.compile(
    r"\b(?:have|has|had|take|took|taking|with|of|for|the|my|his|her|these|those|least|about) "
    rf"(?P<number>[2-9]|{'|'.join(_NUMBERS[1:9])})"
    r"(?= (?:[a-z]+ )?[a-z]{3,}s\b)(?! (?:mg|units|percent|hundreds|thousands|thirds)\b)"
)
_RANGE = re.compile(
    r"(?<=\d)(?P<joint> to |-)(?=\d+ (?:minutes|hours|days|weeks|months|years|times)\b)"
)
_MARKUP = re.compile(rf"{PLACEHOLDER.pattern}|<[A-Z_]+>")


@dataclass(frozen=True, slots=True)
class Edit:
    """The replacements of `[start, end)` of a text; `options` holds only the cheapest.

    `cost` counts the content words that are lost, `lost` all words.
    """

    start: int
    end: int
    options: tuple[str, ...]
    cost: int
    lost: int

    def touched(self, text: str) -> tuple[int, int]:
        """Return how many words the edit leaves unchanged at its beginning and at its end."""
        old, new = tokenize(text[self.start : self.end]), tokenize(self.options[0])
        first = sum(1 for _ in _equal(old, new))
        last = sum(1 for _ in _equal(old[first:][::-1], new[first:][::-1]))
        return first, last


@lru_cache(maxsize=4096)
def edits(text: str) -> tuple[Edit, ...]:
    """Return every edit of a sentence, in no order."""
    blank = _MARKUP.sub(lambda match: "\x00" * len(match.group()), text)
    found = list(_phrase_edits(blank))
    for start, end, other in (*toggles(blank), *consequences(blank)):
        found.append(_edit(text, start, end, (other,)))
    for match in (*_NUMBER.finditer(blank), *_COUNT.finditer(blank)):
        if (respelled := _respell(match["number"].lower())) is not None:
            found.append(_edit(text, *match.span("number"), (respelled,)))
    for match in _RANGE.finditer(blank):
        found.append(_edit(text, *match.span(), ("-" if match["joint"] == " to " else " to ",)))
    return tuple(found)


def apply_edit(text: str, edit: Edit, option: str) -> str:
    """Return a text with an edit applied, in the case of the original words."""
    old = text[edit.start : edit.end]
    first = old.split(" ", 1)[0]
    if first.istitle() and option[:1].islower() and first != "I":
        option = option[:1].upper() + option[1:]
    before, after = text[: edit.start], text[edit.end :]
    if not option:  # a word left out takes one of its spaces with it
        after = after.removeprefix(" ")
    return before + option + after


def _phrase_edits(blank: str) -> Iterator[Edit]:
    for match, options in phrases().find(blank):
        others = tuple(option for option in options if option != match.group().casefold())
        yield _edit(blank, *match.span(), others)


def _edit(text: str, start: int, end: int, options: tuple[str, ...]) -> Edit:
    old = text[start:end]
    costs = [_cost(old.casefold(), option.casefold()) for option in options]
    least = min(costs)
    cheapest = tuple(o for o, cost in zip(options, costs, strict=True) if cost == least)
    lost = (Counter(tokenize(old)) - Counter(tokenize(cheapest[0]))).total()
    return Edit(start, end, cheapest, least, lost)


@lru_cache(maxsize=8192)
def _cost(old: str, new: str) -> int:
    return (Counter(content_stems(old)) - Counter(content_stems(new))).total()


def _equal(old: list[str], new: list[str]) -> Iterator[str]:
    for one, other in zip(old, new, strict=False):
        if one != other:
            return
        yield one


def _respell(number: str) -> str | None:
    """Return a small number as a word if it is in digits, and the other way round."""
    if number in _NUMBERS:
        return str(_NUMBERS.index(number) + 1)
    if not number.isdecimal():
        return None  # without case `ı` matches an i
    return _NUMBERS[int(number) - 1] if 1 <= int(number) <= len(_NUMBERS) else None
