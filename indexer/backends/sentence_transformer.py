"""An embedder for the models of the library sentence-transformers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from sage_rag.common.batches import batches_of
from sage_rag.indexer.backends.local_models import load_local
from sage_rag.indexer.protocols import Vector, Vectors
from sage_rag.indexer.windows import vectors_of

_BATCH = 32


class SentenceTransformerEmbedder:
    """Embed with a model of sentence-transformers: its folder, or its name in the hub's cache here.

    The model loads on first use; every method raises `InputError` where it cannot. Nothing is ever
    downloaded: hubs are switched off first. Threads take turns: two threads on one tokenizer would
    pad and cut each other's texts.
    """

    def __init__(self, folder: str, *, device: str | None = None) -> None:
        self.name = folder
        self._device = device
        self._turn = threading.RLock()

    @property
    def dim(self) -> int:
        """Length of a vector."""
        with self._turn:
            return int(self._model.get_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, dim)` float32, L2-normalised; a text beyond the model's limit by windows.

        Raises:
            InputError: when the model cannot be loaded.
        """
        with self._turn:
            return vectors_of(texts, self._limit, self._pieces, self._encoded, self.dim)

    def _encoded(self, texts: Sequence[str]) -> list[Vector]:
        vectors = self._model.encode(
            list(texts), batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return list(np.ascontiguousarray(vectors, dtype=np.float32))

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
        def load() -> Any:
            from sentence_transformers import SentenceTransformer

            return SentenceTransformer(self.name, device=self._device, local_files_only=True)

        kind = "model of sentence-transformers"
        return load_local(load, self.name, role="embedder", kind=kind)
