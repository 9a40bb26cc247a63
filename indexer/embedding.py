"""Embedders by name, and one that keeps vectors."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence

import numpy as np

from sage_rag.common.exceptions import MissingExtraError
from sage_rag.indexer.protocols import Embedder, Vector, Vectors, VectorStore

VERSION = 2
"""Raised with every change of the vector of a text under the same model."""

MINILM = "all-MiniLM-L6-v2"


def embedder_called(name: str = MINILM) -> Embedder:
    """Return the packaged MiniLM, or the sentence-transformers model in a local folder.

    The model loads on first use. Nothing is ever downloaded.
    """
    if name == MINILM:
        from sage_rag.indexer.backends.minilm import MiniLmEmbedder

        return MiniLmEmbedder()
    from sage_rag.indexer.backends.sentence_transformer import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(name)


def query_embedder(name: str = MINILM) -> Embedder:
    """Return the fastest embedder with the vectors of `embedder_called(name)`, for single texts.

    That is ONNX Runtime for the packaged MiniLM, if the extra `onnx` is installed.
    """
    if name == MINILM:
        try:
            from sage_rag.indexer.backends.onnx_minilm import OnnxMiniLmEmbedder
        except MissingExtraError:
            return embedder_called(name)
        return OnnxMiniLmEmbedder()
    return embedder_called(name)


def cosines(embedder: Embedder, texts: Sequence[str], others: Sequence[str]) -> Vectors:
    """Return `(n, m)` float32: the cosine of each text and each other one, embedded in one call."""
    vectors = embedder.embed([*texts, *others])
    products: Vectors = vectors[: len(texts)] @ vectors[len(texts) :].T
    return products


def vector_key(embedder: Embedder) -> str:
    """Return the key of an embedder's vectors in a store: its name and the version of this module.

    A manifest has the name alone: questions are short, and windows of long texts do not change
    their vectors.
    """
    return f"{embedder.name}/{VERSION}"


def text_hash(text: str) -> str:
    """Return the hash of a text by which a `VectorStore` knows it."""
    return hashlib.sha256(text.encode()).hexdigest()


def sentence_key(text: str) -> int:
    """Return the hash by which the stored vector of a sentence is found: 64 bits.

    It is compared only with those of the passages of one answer.
    """
    return int(text_hash(text)[:16], 16)


class WrappedEmbedder:
    """Has the name and dimension of another embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._embedder.dim


class KnownSentences(WrappedEmbedder):
    """Uses the stored vectors of sentences, and embeds other texts."""

    def __init__(self, embedder: Embedder, known: Mapping[int, Vector]) -> None:
        """`known`: vectors by `sentence_key`."""
        super().__init__(embedder)
        self._known = known

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, dim)` float32, L2-normalised; embed the unknown texts in one call."""
        found = [self._known.get(sentence_key(text)) for text in texts]
        unknown = [text for text, vector in zip(texts, found, strict=True) if vector is None]
        fresh = iter(self._embedder.embed(unknown) if unknown else ())
        rows = [next(fresh) if vector is None else vector for vector in found]
        return np.stack(rows) if rows else np.zeros((0, self.dim), dtype=np.float32)


class VectorMemory:
    """A `VectorStore` in memory; with a limit, the least recently used vectors are dropped."""

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self._vectors: OrderedDict[tuple[str, str], Vector] = OrderedDict()
        self._lock = threading.Lock()

    def vector(self, text_hash: str, embedder: str) -> Vector | None:
        """Return the vector of a text, if it is kept."""
        key = text_hash, embedder
        with self._lock:
            if key in self._vectors:
                self._vectors.move_to_end(key)
            return self._vectors.get(key)

    def store_vectors(self, embedder: str, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors by the hashes of their texts."""
        with self._lock:
            for key, vector in vectors.items():
                self._vectors[key, embedder] = vector
                if self._limit is not None and len(self._vectors) > self._limit:
                    self._vectors.popitem(last=False)


class CachedEmbedder(WrappedEmbedder):
    """Embeds each text once: vectors are kept in a store, by default in memory."""

    def __init__(self, embedder: Embedder, store: VectorStore | None = None) -> None:
        super().__init__(embedder)
        self._store = VectorMemory() if store is None else store

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, dim)` float32, L2-normalised; embed the missing texts in one call."""
        key = vector_key(self._embedder)
        hashes = [text_hash(text) for text in texts]
        known = {h: self._store.vector(h, key) for h in hashes}
        missing = {h: text for h, text in zip(hashes, texts, strict=True) if known[h] is None}
        if missing:
            vectors = self._embedder.embed(list(missing.values()))
            fresh = dict(zip(missing, vectors, strict=True))
            self._store.store_vectors(key, fresh)
            known.update(fresh)
        rows = [vector for h in hashes if (vector := known[h]) is not None]
        return np.stack(rows) if rows else np.zeros((0, self.dim), dtype=np.float32)
