"""Embed each prompt once, many at a time: attacks ask the same prompts of several indexes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sage_rag.indexer.embedding import WrappedEmbedder
from sage_rag.indexer.protocols import Embedder, Vectors


class RememberingEmbedder(WrappedEmbedder):
    """Remember every text's vector. Embed a list first, and single texts of it cost nothing."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self._known: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, dim)` float32, L2-normalised, in the order of `texts`."""
        missing = list(dict.fromkeys(text for text in texts if text not in self._known))
        if missing:
            self._known.update(zip(missing, self._embedder.embed(missing), strict=True))
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        return np.stack([self._known[text] for text in texts])
