"""Fakes for the protocols of the indexer."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from sage_rag.indexer.protocols import Vectors
from sage_rag.indexer.stores.lexical import lexical_words


class HashEmbedder:
    """Embed by hashing words into 64 dimensions: texts with common words are similar."""

    name = "hash-64"
    dim = 64

    def __init__(self) -> None:
        self.embedded = 0
        """The number of texts embedded so far."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, 64)` float32, L2-normalised."""
        self.embedded += len(texts)
        vectors = np.full((len(texts), self.dim), 1e-3, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in lexical_words(text):
                vectors[row, hashlib.sha256(word.encode()).digest()[0] % self.dim] += 1
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / norms, dtype=np.float32)
