"""Citations in the text of a chat model: those of a passage that does not exist are removed."""

from __future__ import annotations

import re

from sage_rag.rag_server.answering.streams import PatternStream

_CITATION = re.compile(r"(?P<space>[ ]?)\[(?P<numbers>\d{1,3}(?:\s?,\s?\d{1,3}){0,9})\]")
_TAIL = re.compile(r"[ ]?(?:\[[\d,\s]{0,60})?\Z")


def citation_filter(passages: int) -> PatternStream:
    """Return a filter that keeps `[n]` with n from 1 to `passages`, and removes the others.

    `[1, 42]` becomes `[1]`.
    """

    def kept(match: re.Match[str]) -> str:
        numbers = [int(number) for number in match["numbers"].split(",")]
        real = [number for number in numbers if 1 <= number <= passages]
        if len(real) == len(numbers):
            return match.group()
        return f"{match['space']}[{', '.join(map(str, real))}]" if real else ""

    return PatternStream(_CITATION, _TAIL, kept)
