"""Vectors of texts of any length: windows of those that exceed a model's limit of word pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sage_rag.indexer.protocols import Vector, Vectors

_CHARS_PER_PIECE = 64
"""A text with more than `limit` times this many characters is cut before its pieces are counted,
since counting takes 100 bytes per piece. English has about 5 characters per piece; only white space
and filler have more than 64."""


@dataclass(frozen=True, slots=True)
class EmbeddingWindow:
    """A part of a text, and the number of its word pieces."""

    text: str
    pieces: int


def vectors_of(
    texts: Sequence[str],
    limit: int | None,
    count: Callable[[Sequence[str]], list[int]],
    encode: Callable[[Sequence[str]], Sequence[Vector]],
    dim: int,
) -> Vectors:
    """Return `(n, dim)` float32: the vector of each text, L2-normalised.

    `encode` returns the vectors of texts of at most `limit` pieces, as counted by `count`. The
    vector of a longer text is the mean of the vectors of its windows, weighted by their pieces.
    Without a limit, `encode` reads every text whole.
    """
    if not texts:
        return np.zeros((0, dim), dtype=np.float32)
    if limit is None:
        return np.stack(encode(texts))
    cut = windows(texts, limit, count)
    encoded = iter(encode([w.text for text_windows in cut for w in text_windows]))
    return np.stack([_mean([next(encoded) for _ in found], found) for found in cut])


def _mean(vectors: Sequence[Vector], text_windows: Sequence[EmbeddingWindow]) -> Vector:
    """Return the vector of a text from the vectors of its windows."""
    if len(vectors) == 1:
        return vectors[0]
    mean = np.array([max(w.pieces, 1) for w in text_windows], dtype=np.float32) @ np.stack(vectors)
    return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)


def windows(
    texts: Sequence[str], limit: int, count: Callable[[Sequence[str]], list[int]]
) -> list[list[EmbeddingWindow]]:
    """Cut each text into windows of at most `limit` pieces, at white space where possible.

    A text within the limit is one window. The windows of a longer text have about the same length;
    there is the smallest possible number of them, or one or two more, in no defined order. `count`
    returns the number of pieces of each text.
    """
    cut: list[list[EmbeddingWindow]] = [[] for _ in texts]
    pending = [
        (owner, part)
        for owner, text in enumerate(texts)
        for part in _parts(text, _parts_needed(limit * _CHARS_PER_PIECE, len(text)))
    ]
    while pending:
        too_long: list[tuple[int, str]] = []
        counts = count([text for _, text in pending])
        for (owner, text), pieces in zip(pending, counts, strict=True):
            if pieces <= limit or len(text) == 1:
                cut[owner].append(EmbeddingWindow(text, pieces))
            else:
                parts = _parts(text, _parts_needed(limit, pieces))
                too_long += [(owner, part) for part in parts]
        pending = too_long
    return cut


def _parts_needed(most: int, length: int) -> int:
    return max(-(-length // most), 1)


def _parts(text: str, number: int) -> Iterator[str]:
    """Yield at most `number` parts of a text of similar length, which begin after white space."""
    start = 0
    for part in range(1, number):
        place = part * len(text) // number
        cut = 1 + max(text.rfind(space, start, place) for space in (" ", "\n"))
        cut = cut if cut > start else place
        if start < cut < len(text):
            yield text[start:cut]
            start = cut
    yield text[start:]
