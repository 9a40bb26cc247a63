"""Retrieve passages by a weighted sum of dense and lexical scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sage_rag.indexer.passages import Passage
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.stores.lexical import searchable
from sage_rag.privacy.tokens import TOKEN, readable_view

_DENSE = 0.5
"""The weight of the dense score; the lexical score has the rest. Chosen on dialogues and stories
that were not held out (docs/results/sage.md); 0.6 and 0.7 are better on some of these corpora and
worse on others."""
_MIN_DEPTH = 50

Ranking = Sequence[tuple[int, float]]


class Searchable(Protocol):
    """An index version that can be searched."""

    def __len__(self) -> int:
        """Return the number of passages."""
        ...

    def passage(self, row: int, score: float = 0.0) -> Passage:
        """Return the passage of a row."""
        ...

    def search_dense(self, vector: NDArray[np.float32], top_k: int) -> Ranking:
        """Return rows by similarity to a vector, best first."""
        ...

    def search_lexical(self, text: str, top_k: int) -> Ranking:
        """Return rows by the words of a text, best first."""
        ...


class Retriever:
    """Find the passages of one index version that are relevant to a question."""

    def __init__(self, version: Searchable, embedder: Embedder) -> None:
        self._version = version
        self._embedder = embedder

    def retrieve(self, question: str, top_k: int, words: Sequence[str] = ()) -> list[Passage]:
        """Return up to `top_k` passages, best first; `score` is the fused score.

        `words` are the blind words of the values whose tokens occur in the question: they also
        match other spellings and longer forms of these values.

        The dense search reads each ciphertext token as its type and a number; the lexical search
        reads the token itself. A deterministic ciphertext has no meaning for an embedding, but it
        is an exact word. If the question names a person, a third search uses tokens and blind
        words alone, and its best result weighs as much as the best of the other two together,
        because the user wants that person's records.
        """
        if top_k < 1 or not len(self._version):
            return []
        depth = max(_MIN_DEPTH, 10 * top_k)
        vector = self._embedder.embed([readable_view(question)])[0]
        tokens = (match.group() for match in TOKEN.finditer(question))
        names = " ".join([*tokens, *words])
        named = self._version.search_lexical(names, depth) if names else []
        dense = self._version.search_dense(vector, depth)
        lexical = self._version.search_lexical(searchable(question, words), depth)
        fused = fuse(dense, lexical, named)
        return [self._version.passage(row, score) for row, score in fused[:top_k]]


def fuse(dense: Ranking, lexical: Ranking, named: Ranking = ()) -> list[tuple[int, float]]:
    """Return the sum of each row's scores, divided by the best score of each search; best first.

    `named` has the weight 1, as much as the two other searches together. Ties are in row order.

    Source: Bruch, Gai and Ingber (2023), "An analysis of fusion functions for hybrid retrieval",
    ACM TOIS 42, §4 (convex combination). Differs: cosines start at 0, not at -1, and a row that a
    search does not return has the score 0.
    """
    scores: dict[int, float] = {}
    for ranking, weight in ((dense, _DENSE), (lexical, 1 - _DENSE), (named, 1.0)):
        best = max((score for _, score in ranking), default=0.0)
        for row, score in ranking:
            share = max(score, 0.0) / best if best > 0 else 0.0
            scores[row] = scores.get(row, 0.0) + weight * share
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
