"""Citations in the text of a chat model: one of a passage that does not exist is removed."""

from __future__ import annotations

import re
from collections.abc import Collection

from sage_rag.rag_server.answering.streams import PatternStream

_CITATION = re.compile(r"[ ]?\[(?P<number>\d{1,3})\]")
_TAIL = re.compile(r"[ ]?(?:\[\d{0,3})?\Z")


def citation_filter(passages: Collection[int] | None) -> PatternStream:
    """Return a filter that keeps `[n]` with n among `passages`, and removes any other.

    `None`: it keeps all.

    Several numbers in brackets, one of which is no passage, may be an interval or a list of days:
    they stay as they are, and cite nothing (`completions.cite`).
    """

    def kept(match: re.Match[str]) -> str:
        is_real = passages is None or int(match["number"]) in passages
        return match.group() if is_real else ""

    return PatternStream(_CITATION, _TAIL, kept)
