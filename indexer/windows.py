"""Texts cut into windows for a model that reads no more than so many word pieces at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

_CHARS_PER_PIECE = 64
"""A text of so many characters for each piece of a window is cut before its pieces are counted,
which takes a hundred bytes a piece. English has about 5; only blank space and filler have more."""


@dataclass(frozen=True, slots=True)
class EmbeddingWindow:
    """A part of a text, and how many word pieces it has."""

    text: str
    pieces: int


def windows(
    texts: Sequence[str], limit: int, count: Callable[[Sequence[str]], list[int]]
) -> list[list[EmbeddingWindow]]:
    """Cut each text, where it may be, at white space into windows of at most `limit` pieces.

    A text within the limit is one window. The windows of a longer one are about equally long, as
    few as there can be or one or two more, in no certain order. `count` returns the pieces of each
    of some texts.
    """
    cut: list[list[EmbeddingWindow]] = [[] for _ in texts]
    pending = [
        (owner, part)
        for owner, text in enumerate(texts)
        for part in _parts(text, _in_parts_of(limit * _CHARS_PER_PIECE, len(text)))
    ]
    while pending:
        too_long: list[tuple[int, str]] = []
        counts = count([text for _, text in pending])
        for (owner, text), pieces in zip(pending, counts, strict=True):
            if pieces <= limit or len(text) == 1:
                cut[owner].append(EmbeddingWindow(text, pieces))
            else:
                parts = _parts(text, _in_parts_of(limit, pieces))
                too_long += [(owner, part) for part in parts]
        pending = too_long
    return cut


def _in_parts_of(most: int, length: int) -> int:
    return max(-(-length // most), 1)


def _parts(text: str, number: int) -> Iterator[str]:
    """Yield about equal parts of a text, at most so many, that begin after white space."""
    start = 0
    for part in range(1, number):
        place = part * len(text) // number
        cut = 1 + max(text.rfind(space, start, place) for space in (" ", "\n"))
        cut = cut if cut > start else place
        if start < cut < len(text):
            yield text[start:cut]
            start = cut
    yield text[start:]
