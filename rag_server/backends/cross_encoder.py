"""A reranker for the cross-encoders of the library sentence-transformers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from sage_rag.indexer.backends.local_models import load_local

_BATCH = 16


class CrossEncoderReranker:
    """Score with a cross-encoder: the model reads question and passage together.

    `folder`: a model on this machine, or the name of one in the local cache of the hub; nothing is
    ever downloaded. It loads on first use. Threads take turns. Documented choice on a GPU:
    `mixedbread-ai/mxbai-rerank-large-v1`.
    """

    weight = 0.8
    """Not tuned: no cross-encoder was available. The search keeps a share because the model cannot
    read names."""

    reads_names = True

    def __init__(self, folder: str, *, device: str | None = None) -> None:
        self.name = folder
        self._device = device
        self._turn = threading.Lock()

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return the model's score of each passage.

        Raises:
            InputError: when the model cannot be loaded.
        """
        with self._turn:
            pairs = [(question, passage) for passage in passages]
            found = self._model.predict(pairs, batch_size=_BATCH, show_progress_bar=False)
        return [float(score) for score in found]

    @cached_property
    def _model(self) -> Any:
        def load() -> Any:
            from sentence_transformers import CrossEncoder

            return CrossEncoder(self.name, device=self._device, num_labels=1, local_files_only=True)

        return load_local(load, self.name, role="reranker", kind="cross-encoder")
