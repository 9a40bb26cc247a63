"""Which sentences of a text are somebody else's words, without a speaker."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MARK = re.compile(r"(?<!\d)(?:[“”„«»]|‘‘|’’|``|''|\")")
"""After a digit a mark is one of inches or seconds."""
_CLOSING = {
    "“": "” ’’ ''".split(),
    "„": "“ ” ’’".split(),
    "«": ["»"],
    "‘‘": "’’ ” ''".split(),
    "``": "'' ” ’’".split(),
    '"': ['"', "''", "”"],
}
"""What may close a quotation, by the mark that opens it."""
_LETTER = re.compile(r"[^\W\d_]")
_ENDS = frozenset("” » ’’ ''".split())
_BEFORE_OPENING = " \t\n([-–—:,"


def in_quotation(sentences: Sequence[str]) -> list[bool]:
    """Return for each sentence of a text, in order, whether it is quoted and names no speaker.

    All of it is in a quotation. `He said: "Wait.` and `"Wait," he said` tell who speaks, so they do
    not count. A text may begin within a quotation, or end in it; a single `"` that opens or closes
    nothing is no quotation, nor is one around the whole text.
    """
    found = [False] * len(sentences)
    opening, opened, first, seen = "", 0, 0, False
    for number, sentence in enumerate(sentences):
        for mark in _MARK.finditer(sentence):
            if opening:
                if mark.group() in _CLOSING[opening]:
                    alone = not _LETTER.search(sentence, mark.end())
                    if number > opened or alone:
                        _fill(found, first, number)
                    opening = ""
            elif _opens(sentence, mark):
                opening, opened, seen = mark.group(), number, True
                first = number + bool(sentence[: mark.start()].strip())
            elif mark.group() in _ENDS and not seen:
                _fill(found, 0, number)
                seen = True
    if opening and opening != '"':
        _fill(found, first, len(sentences) - 1)
    return [False] * len(sentences) if all(found) else found


def _fill(found: list[bool], first: int, last: int) -> None:
    for number in range(first, last + 1):
        found[number] = True


def _opens(sentence: str, mark: re.Match[str]) -> bool:
    if mark.group() != '"':
        return mark.group() in _CLOSING
    before = sentence[: mark.start()]
    return not before or before[-1] in _BEFORE_OPENING
