"""The likeness of a draft and its original by embeddings, for the gate."""

from __future__ import annotations

import numpy as np

from sage_rag.indexer.embedding import VectorMemory, text_hash, vector_key
from sage_rag.indexer.protocols import Embedder, VectorStore

VERSION = 1
"""Raised with every change of the likeness that two vectors have."""

_KEPT = 512
"""Vectors in memory: more than documents are in work at a time. 0.8 MB with MiniLM."""


class EmbeddingLikeness:
    """The cosine of the vectors of two texts, in [-1, 1].

    Each original and each draft is embedded once. The index is searched by the vector of the same
    text as the draft, so the store saves a second embedding. Vectors of originals stay in memory:
    nothing that is stored comes from the wording of an original. For several threads, if embedder
    and store are.

    Does not guarantee: that two records of one corpus differ in a language on which the embedder
    was not trained. For MiniLM, two Chinese records are as alike as two English records of one
    case, so the limit finds little there.
    """

    def __init__(self, embedder: Embedder, drafts: VectorStore | None = None) -> None:
        self._embedder = embedder
        self._key = vector_key(embedder)
        self._drafts = VectorMemory(_KEPT) if drafts is None else drafts
        self._originals = VectorMemory(_KEPT)

    @property
    def fingerprint(self) -> str:
        """Changes with the embedder and with the version of this module."""
        return f"embedding/{self._key}/{VERSION}"

    def compare(self, original: str, draft: str) -> float:
        """Return the cosine of the vectors of both texts."""
        key, before, after = self._key, text_hash(original), text_hash(draft)
        old, new = self._originals.vector(before, key), self._drafts.vector(after, key)
        # One call for both: two texts together cost less than one after the other.
        texts = [original] * (old is None) + [draft] * (new is None)
        fresh = list(self._embedder.embed(texts)) if texts else []
        if old is None:
            old = fresh[0]
            self._originals.store_vectors(key, {before: old})
        if new is None:
            new = fresh[-1]
            self._drafts.store_vectors(key, {after: new})
        return float(np.dot(old, new))
