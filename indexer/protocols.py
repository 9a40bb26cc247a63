"""The protocols of the indexer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
Vectors = NDArray[np.float32]
"""Of shape `(dim,)` and `(n, dim)`."""


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """The model's name, which manifests record."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, dim)` float32, L2-normalised, in the order of `texts`."""
        ...


class VectorStore(Protocol):
    """Keeps vectors of texts: the ledger, or memory. For several threads."""

    def vector(self, text_hash: str, embedder: str) -> Vector | None:
        """Return the vector of a text by its `text_hash` under a `vector_key`, if there is one."""
        ...

    def store_vectors(self, embedder: str, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors by the hashes of their texts."""
        ...
