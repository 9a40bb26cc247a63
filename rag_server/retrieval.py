"""Retrieval: dense and lexical scores, fused."""

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
"""The weight of the dense score; the lexical one has the rest. Chosen on dialogues and stories that
were not held out (docs/results/sage.md); 0.6 and 0.7 suit some of these corpora and not others."""
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
        tokens and blind words alone counts as much as the best of both searches together: who asks
        for a person wants that person's records.
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
    """Add up scores, each as a share of the best of its search; equal sums in order of row.

    The best of `named` counts 1, as much as what is best in both other searches.

    Source: Bruch, Gai and Ingber (2023), "An analysis of fusion functions for hybrid retrieval",
    ACM TOIS 42, §4 (convex combination). Differs: cosines are measured from 0, not from -1, and
    what a search did not return counts 0.
    """
    scores: dict[int, float] = {}
    for ranking, weight in ((dense, _DENSE), (lexical, 1 - _DENSE), (named, 1.0)):
        best = max((score for _, score in ranking), default=0.0)
        for row, score in ranking:
            share = max(score, 0.0) / best if best > 0 else 0.0
            scores[row] = scores.get(row, 0.0) + weight * share
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
