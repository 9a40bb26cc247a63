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


class VectorIndex(Protocol):
    """Vectors of the rows of a layer. For several threads."""

    def __len__(self) -> int:
        """Return the number of vectors."""
        ...

    def search(
        self, vector: Vector, top_k: int, rows: NDArray[np.int64] | None = None
    ) -> list[tuple[int, float]]:
        """Return up to `top_k` pairs of row and cosine, best first.

        `vector`: `(dim,)` float32, L2-normalised; `rows`: `(m,)` int64, the only rows to search.
        """
        ...


class VectorStore(Protocol):
    """Keeps vectors of texts: the ledger, or memory. For several threads."""

    def vector(self, text_hash: str, embedder: str) -> Vector | None:
        """Return the vector of a text by its `text_hash` under a `vector_key`, if there is one."""
        ...

    def store_vectors(self, embedder: str, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors by the hashes of their texts."""
        ...
