"""A reranker without weights of its own: late interaction over the embedder's token vectors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sage_rag.indexer.backends.minilm import token_vectors
from sage_rag.indexer.protocols import Vectors

_CACHED = 2_000
"""Passages whose vectors are kept: 130 kB each, for 350 word pieces."""
_SCALE = 127


class LateInteractionReranker:
    """Score by the best match of each word piece of the question in the passage (MaxSim).

    The model is all-MiniLM-L6-v2 from its package. Passages are read when they are found for the
    first time; their vectors are kept in 8 bits per dimension.

    Source: Khattab and Zaharia (2020), ColBERT, arXiv 2004.12832, §3.3, eq. 3, as a mean. Differs:
    the model was not trained for it.
    """

    weight = 0.25
    reads_names = False

    def __init__(self) -> None:
        self._kept = lru_cache(_CACHED)(eight_bit_vectors)

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return the mean of the best cosines of the question's pieces, in [-1, 1]."""
        asked = token_vectors(question)
        return [max_similarity(asked, self._kept(passage)) for passage in passages]


def eight_bit_vectors(passage: str) -> NDArray[np.int8]:
    """Return `(n, 384)`: the vectors of a passage's pieces, in steps of 1/127."""
    return np.round(token_vectors(passage) * _SCALE).astype(np.int8)


def max_similarity(asked: Vectors, passage: NDArray[np.int8]) -> float:
    """Return the mean of the best cosines of `(m, 384)` pieces of a question in a passage."""
    if not len(asked) or not len(passage):
        return 0.0
    cosines = asked @ passage.T.astype(np.float32) / _SCALE
    return float(cosines.max(axis=1).mean())
