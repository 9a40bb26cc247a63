"""The engine over a pool: threads of this process wait while workers work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Protocol, TypeVar

from sage_rag.indexer.embedding import WrappedEmbedder
from sage_rag.indexer.engines.pool import Pool
from sage_rag.indexer.protocols import Embedder, Vectors
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.spans import Span

_T = TypeVar("_T")


class EndpointRecognizer(Recognizer, Protocol):
    """A recognizer that waits for a service: it costs this process no work, only time."""

    def close(self) -> None:
        """Give up what it waits for."""
        ...


class PooledEngine:
    """Let `threads` threads protect and judge; what they ask for is done by the pool.

    `beside` is asked by each thread itself, in addition to the pool's recognizer: for workers hold
    no model's budget, rates or accounts.
    """

    def __init__(
        self,
        pool: Pool,
        recognizer: Recognizer,
        embedder: Embedder,
        *,
        at_once: int,
        threads: int,
        beside: EndpointRecognizer | None = None,
    ) -> None:
        self._pool = pool
        self._beside = beside
        self.recognizer: Recognizer = _PoolRecognizer(pool, recognizer, beside)
        self.embedder: Embedder = _PoolEmbedder(pool, embedder)
        self.at_once = at_once
        self._threads = ThreadPoolExecutor(max(threads, at_once), thread_name_prefix="engine")

    async def aside(self, work: Callable[[], _T]) -> _T:
        """Do blocking work in a thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, copy_context().run, work)

    def close(self) -> None:
        """End workers and threads; returns when none is left."""
        self._pool.close()
        if self._beside is not None:
            self._beside.close()
        self._threads.shutdown(wait=True, cancel_futures=True)


class _PoolRecognizer:
    def __init__(
        self, pool: Pool, recognizer: Recognizer, beside: EndpointRecognizer | None
    ) -> None:
        self._pool = pool
        self._beside = beside
        names = [recognizer.fingerprint, *([beside.fingerprint] if beside else [])]
        self.fingerprint = "+".join(filter(None, names))

    def recognize(self, text: str) -> Sequence[Span]:
        """Return a worker's spans, and those of the endpoint."""
        spans: list[Span] = list(self._pool.ask("recognize", text))
        if self._beside is not None:
            spans += self._beside.recognize(text)
        return spans


class _PoolEmbedder(WrappedEmbedder):
    def __init__(self, pool: Pool, embedder: Embedder) -> None:
        super().__init__(embedder)
        self._pool = pool

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a worker's vectors."""
        vectors: Vectors = self._pool.ask("embed", list(texts))
        return vectors
