"""Which sentences of a text, and which parts of a sentence, are somebody else's words."""

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
"""After a stop, one of these without its opening mark ends what the text began with."""
_DIALOGUE = 2
"""After this many quotations, a `"` that nothing closes begins one that is broken off."""
_STOPS = (".", "!", "?", "…")
_BEFORE_OPENING = " \t\n([-–—:,"


def in_quotation(sentences: Sequence[str]) -> list[bool]:
    """Return for each sentence of a text, in order, whether it is quoted and names no speaker.

    All of it is in a quotation. `He said: "Wait.` and `"Wait," he said` tell who speaks, so they do
    not count. A text may begin within a quotation, or end in it, as a piece of a record does; a
    single `"` that opens or closes nothing is no quotation, except after others in a dialogue; nor
    is one around the whole text.
    """
    found = [False] * len(sentences)
    opening, opened, first, closed, pairs = "", 0, 0, 0, 0
    for number, sentence in enumerate(sentences):
        for mark in _MARK.finditer(sentence):
            if opening:
                if mark.group() in _CLOSING[opening]:
                    alone = not _LETTER.search(sentence, mark.end())
                    whole = first == 0 and number == len(sentences) - 1 and alone
                    if (number > opened or alone) and not whole:
                        _fill(found, first, number)
                    opening, pairs = "", pairs + 1
            elif _opens(sentence, mark):
                opening, opened = mark.group(), number
                first = number + bool(sentence[: mark.start()].strip())
            elif mark.group() in _ENDS and sentence[: mark.start()].endswith(_STOPS):
                _fill(found, closed, number)
                closed = number + 1
    if opening and (opening != '"' or pairs >= _DIALOGUE):
        _fill(found, first, len(sentences) - 1)
    return found


def unquoted(sentence: str) -> str:
    """Return a sentence without what it quotes: `he asked.` of `"Why?" he asked.`

    A quotation may begin in an earlier sentence, or end in a later one.
    """
    kept, opening, start = "", "", 0
    for mark in _MARK.finditer(sentence):
        if opening:
            if mark.group() in _CLOSING[opening]:
                opening, start = "", mark.end()
        elif _opens(sentence, mark):
            kept += sentence[start : mark.start()]
            opening, start = mark.group(), mark.start()
        elif mark.group() in _ENDS and not kept:
            start = mark.end()
    return kept if opening and opening != '"' else kept + sentence[start:]


def _fill(found: list[bool], first: int, last: int) -> None:
    for number in range(first, last + 1):
        found[number] = True


def _opens(sentence: str, mark: re.Match[str]) -> bool:
    if mark.group() != '"':
        return mark.group() in _CLOSING
    before = sentence[max(0, mark.start() - 1) : mark.start()]
    after = sentence[mark.end() : mark.end() + 1]
    return before in _BEFORE_OPENING and bool(after.strip())  # "" is in every text
