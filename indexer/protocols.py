"""The protocols of the indexer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sage_rag.privacy.protocols import Recognizer

_T = TypeVar("_T")
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


class Engine(Protocol):
    """Recognises and embeds for a run, in this process or in others.

    Guarantees: recognizer and embedder answer as they do in this process, whichever worker is
    asked, and serve several threads. Workers get texts and return spans and vectors: no key, token,
    meaning of a placeholder or ledger reaches one.
    """

    @property
    def recognizer(self) -> Recognizer:
        """The run's recognizer; blocks until a worker has answered."""
        ...

    @property
    def embedder(self) -> Embedder:
        """The run's embedder; blocks until a worker has answered."""
        ...

    @property
    def documents_in_flight(self) -> int:
        """How many documents must be in work so that no worker is idle."""
        ...

    async def run_in_executor(self, work: Callable[[], _T]) -> _T:
        """Do blocking work in a thread, in the caller's context (costs of model calls)."""
        ...

    def close(self) -> None:
        """End workers and threads; open requests fail."""
        ...
