"""The seams of the indexer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sage_rag.privacy.protocols import Recognizer

_T = TypeVar("_T")
Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """The model's name, as a manifest records it."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, dim)` float32, L2-normalised, in the order of `texts`."""
        ...


class Engine(Protocol):
    """Does what a run would wait for: it recognises and embeds, here or in other processes.

    Guarantees: recognizer and embedder answer as they do in this process, whoever is asked, and
    may be asked by several threads. Workers get texts and answer with places and vectors: no key,
    token, placeholder's meaning or ledger reaches one.
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
    def at_once(self) -> int:
        """How many documents must be under way so that no worker waits for one."""
        ...

    async def aside(self, work: Callable[[], _T]) -> _T:
        """Do blocking work in a thread; what it asks of a model counts for who called."""
        ...

    def close(self) -> None:
        """End workers and threads; what is still asked then fails."""
        ...
