"""The gate's likeness by embeddings: the same vectors that the index is searched by."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sage_rag.indexer.embedding import vector_key
from sage_rag.indexer.protocols import Embedder

VERSION = 1
"""Raised with every change of the likeness of two texts with the same vectors."""

Vector = NDArray[np.float32]

_KEPT = 512
"""Originals whose vectors are kept: more than are ever treated at a time. 0.8 MB with MiniLM."""


class VectorStore(Protocol):
    """Where vectors of drafts are kept between judging and indexing: the ledger."""

    def vector(self, text_hash: str, embedder: str) -> Vector | None:
        """Return the vector of a text by its SHA-256 under a `vector_key`, if there is one."""
        ...

    def store_vectors(self, embedder: str, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors by the SHA-256 of their texts."""
        ...


class EmbeddingLikeness:
    """Cosine of two texts' vectors, in [-1, 1].

    Costs one embedding of each original, however many drafts are judged, and one of each draft.
    With a store, a draft's vector is the one that the index takes, which then costs no other.
    Originals' vectors stay in memory: nothing that is stored was made from an original's wording.
    For several threads at a time, if embedder and store are.

    Does not guarantee: that records of one corpus are told apart in a language that the embedder
    was not trained on. Two Chinese records are as alike to MiniLM as two English ones of one case,
    so that there the limit catches little.
    """

    def __init__(self, embedder: Embedder, vectors: VectorStore | None = None) -> None:
        self._embedder = embedder
        self._key = vector_key(embedder)
        self._stored = vectors
        self._originals: OrderedDict[str, Vector] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """Changes with the embedder's name and with both versions."""
        return f"embedding/{self._key}/{VERSION}"

    def compare(self, original: str, draft: str) -> float:
        """Return the cosine of both texts' vectors."""
        before, after = _digest(original), _digest(draft)
        with self._lock:
            known = self._originals.get(before)
        written = self._stored.vector(after, self._key) if self._stored is not None else None
        # One call for what is missing: two texts at a time cost less than one after the other.
        texts = [original] * (known is None) + [draft] * (written is None)
        fresh = list(self._embedder.embed(texts)) if texts else []
        if known is None:
            known = fresh[0]
        if written is None:
            written = fresh[-1]
            if self._stored is not None:
                self._stored.store_vectors(self._key, {after: written})
        self._keep(before, known)
        return float(np.dot(known, written))

    def _keep(self, digest: str, vector: Vector) -> None:
        with self._lock:
            self._originals[digest] = vector
            self._originals.move_to_end(digest)
            if len(self._originals) > _KEPT:
                self._originals.popitem(last=False)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
