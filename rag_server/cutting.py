"""Apply `max_tokens` and `stop` to an answer whose author does not honour them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from sage_rag.privacy.tokens import TOKEN
from sage_rag.rag_server.answering.protocols import Piece
from sage_rag.rag_server.completions import COUNTED


def cut(text: str, most_tokens: int | None, stops: Sequence[str]) -> tuple[str, str | None]:
    """Return the beginning of an answer, and `stop` or `length`; `None` where it is the whole.

    It ends before the first stop sequence, and after at most `most_tokens` words, punctuation marks
    and ciphertext tokens. A ciphertext token is never cut, and no stop sequence is found in one.
    """
    tokens = [match.span() for match in TOKEN.finditer(text)]
    places = [_place(text, stop, tokens) for stop in stops]
    kept = text[: min((place for place in places if place >= 0), default=len(text))]
    if most_tokens is not None:
        for count, match in enumerate(COUNTED.finditer(kept)):
            if count == most_tokens:
                return kept[: match.start()].rstrip(), "length"
    return kept, None if kept == text else "stop"


async def cut_pieces(
    pieces: AsyncGenerator[Piece, None], most_tokens: int | None, stops: Sequence[str]
) -> AsyncGenerator[Piece, None]:
    """Yield the pieces of a cut answer. It is read whole before it is cut: its usage is kept."""
    async with aclosing(pieces):
        whole = [piece async for piece in pieces]
    text, reason = cut("".join(piece.text for piece in whole), most_tokens, stops)
    left = len(text)
    for piece in whole:
        yield Piece(piece.text[:left], piece.finish_reason, piece.usage)
        left -= min(len(piece.text), left)
    yield Piece("", reason)


def _place(text: str, stop: str, tokens: Sequence[tuple[int, int]]) -> int:
    """Return where a stop sequence begins that does not begin or end inside a token; or -1."""
    at = text.find(stop)
    while at >= 0 and any(_splits(token, at, at + len(stop)) for token in tokens):
        at = text.find(stop, at + 1)
    return at


def _splits(token: tuple[int, int], *places: int) -> bool:
    return any(token[0] < place < token[1] for place in places)
