"""Retrieval: dense and lexical ranks, fused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from indexer.passages import Passage
from indexer.protocols import Embedder
from indexer.stores.lexical import searchable
from privacy.tokens import TOKEN, readable_view

_K = 60
"""Cormack, Clarke and Büttcher (2009), SIGIR, §2: fixed in a pilot, near the optimum elsewhere."""
_MIN_DEPTH = 50

Ranking = Sequence[tuple[int, float]]


class Searchable(Protocol):
    """What retrieval needs of an index version."""

    def __len__(self) -> int:
        """Return the number of passages."""
        ...

    def passage(self, row: int, score: float = 0.0) -> Passage:
        """Return the passage of a row."""
        ...

    def search_dense(self, vector: NDArray[np.float32], top_k: int) -> Ranking:
        """Return rows by similarity, best first."""
        ...

    def search_lexical(self, text: str, top_k: int) -> Ranking:
        """Return rows by their words, best first."""
        ...


class Retriever:
    """Find the passages of one index version that bear on a question."""

    def __init__(self, version: Searchable, embedder: Embedder) -> None:
        self._version = version
        self._embedder = embedder

    def retrieve(self, question: str, top_k: int, words: Sequence[str] = ()) -> list[Passage]:
        """Return up to `top_k` passages, best first; `score` is the fused score.

        `words` are the blind words of the values that the question names: the same values as its
        tokens, which they let meet other spellings and longer forms.

        The dense side reads the question with each ciphertext token as its type and number, the
        lexical side reads the tokens themselves: a deterministic ciphertext has no meaning for
        an embedding but is an exact word. Where the question names somebody, what matches best by
        tokens and blind words alone counts as much as first places in both rankings together: who
        asks for a person wants that person's records.

        Source: Cormack, Clarke and Büttcher (2009), "Reciprocal Rank Fusion", SIGIR. Differs:
        names count by score, since ranks would put a record that shares a part of the name right
        behind the record of the whole.
        """
        if top_k < 1 or not len(self._version):
            return []
        depth = max(_MIN_DEPTH, 10 * top_k)
        vector = self._embedder.embed([readable_view(question)])[0]
        tokens = (match.group() for match in TOKEN.finditer(question))
        names = " ".join([*tokens, *words])
        named = self._version.search_lexical(names, depth) if names else []
        rankings = (
            self._version.search_dense(vector, depth),
            self._version.search_lexical(searchable(question, words), depth),
        )
        return [self._version.passage(row, score) for row, score in fuse(rankings, named)[:top_k]]


def fuse(rankings: Iterable[Ranking], named: Ranking = ()) -> list[tuple[int, float]]:
    """Fuse rankings by reciprocal rank; equal scores in order of row.

    The best of `named` counts as two first places, the others in proportion to their scores.
    """
    best = max((score for _, score in named), default=1.0)
    scores = {row: 2.0 / (_K + 1) * score / best for row, score in named}
    for ranking in rankings:
        for rank, (row, _) in enumerate(ranking, start=1):
            scores[row] = scores.get(row, 0.0) + 1.0 / (_K + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
