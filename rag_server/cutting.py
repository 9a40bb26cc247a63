"""Apply `max_tokens` and `stop` to an answer that no model wrote."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from sage_rag.privacy.tokens import TOKEN
from sage_rag.rag_server.answering.protocols import Piece
from sage_rag.rag_server.completions import COUNTED

_WORD = re.compile(r"\s*\S+\s*")


def cut(text: str, most_tokens: int | None, stops: Sequence[str]) -> tuple[str, str]:
    """Return the beginning of an answer and its finish reason, `stop` or `length`.

    It ends before the first stop sequence, and after at most `most_tokens` words, punctuation marks
    and ciphertext tokens. A ciphertext token is never cut, and no stop sequence is found in one.
    """
    kept, reason = text[: _first(text, stops)], "stop"
    if most_tokens is not None:
        for count, match in enumerate(COUNTED.finditer(kept)):
            if count == most_tokens:
                return kept[: match.start()].rstrip(), "length"
    return kept, reason


async def cut_pieces(
    pieces: AsyncGenerator[Piece, None], most_tokens: int | None, stops: Sequence[str]
) -> AsyncGenerator[Piece, None]:
    """Yield the pieces of a cut answer, word by word. It is read whole before it is cut."""
    async with aclosing(pieces):
        whole = [piece async for piece in pieces]
    text, reason = cut("".join(piece.text for piece in whole), most_tokens, stops)
    for word in _WORD.findall(text):
        yield Piece(word)
    yield Piece("", reason)


def _first(text: str, stops: Sequence[str]) -> int:
    """Return where the first stop sequence begins; the text's length where there is none."""
    tokens = [match.span() for match in TOKEN.finditer(text)]
    found = [
        match.start()
        for stop in stops
        for match in re.finditer(re.escape(stop), text)
        if not any(_splits(start, end, match) for start, end in tokens)
    ]
    return min(found, default=len(text))


def _splits(start: int, end: int, match: re.Match[str]) -> bool:
    """Return whether a match begins or ends inside a token."""
    return start < match.start() < end or start < match.end() < end
