"""Engines of one machine: this process, or several processes that share its cores."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Protocol, TypeVar

from sage_rag.common.workers import WorkerPool, local_pool, process_pool
from sage_rag.indexer.embedding import WrappedEmbedder
from sage_rag.indexer.engines.cores import ThreadCores
from sage_rag.indexer.engines.models import (
    EMBED,
    RECOGNIZE,
    FirstAlone,
    ModelHandler,
    ModelSetup,
)
from sage_rag.indexer.protocols import Embedder, Vectors
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.spans import Span

_T = TypeVar("_T")


class EndpointRecognizer(Recognizer, Protocol):
    """A recognizer that waits for a service: it costs this process no work, only time."""

    def close(self) -> None:
        """Stop waiting for the service."""
        ...


class Engine:
    """Recognises and embeds for a run: workers do the work, and threads wait for them.

    Guarantees: recognizer and embedder answer as they do in this process, whichever worker is
    asked, and serve several threads. Workers get texts and return spans and vectors: no key, token,
    meaning of a placeholder or ledger reaches one.

    `endpoint` is a second recognizer, which each thread asks itself: workers hold no budget, rates
    or costs of model calls. `documents_in_flight`: how many documents must be in work so that no
    worker is idle.
    """

    def __init__(
        self,
        pool: WorkerPool,
        models: ModelHandler,
        *,
        documents_in_flight: int,
        threads: int,
        endpoint: EndpointRecognizer | None = None,
        thread_cores: ThreadCores | None = None,
    ) -> None:
        """With `thread_cores`, the workers are the threads."""
        self._pool = pool
        self._endpoint = endpoint
        self.recognizer: Recognizer = _PoolRecognizer(pool, models.recognizer, endpoint)
        self.embedder: Embedder = _PoolEmbedder(pool, models.embedder)
        self.documents_in_flight = documents_in_flight
        size = max(threads, documents_in_flight)
        self._thread_cores = thread_cores
        self._threads = ThreadPoolExecutor(
            size,
            thread_name_prefix="engine",
            initializer=thread_cores.begin_thread if thread_cores else None,
        )

    async def run_in_executor(self, work: Callable[[], _T]) -> _T:
        """Do blocking work in a thread, in the caller's context."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, copy_context().run, work)

    def close(self) -> None:
        """End workers and threads, and wait until all have ended."""
        self._pool.close()
        if self._endpoint is not None:
            self._endpoint.close()
        self._threads.shutdown(wait=True, cancel_futures=True)
        if self._thread_cores is not None:
            self._thread_cores.end()


def in_process(
    recognizer: Recognizer,
    embedder: Embedder,
    *,
    threads: int,
    endpoint: EndpointRecognizer | None = None,
) -> Engine:
    """Return an engine that works in this process, in threads apart from the event loop.

    A network gives up Python's lock while it works, so the threads share the cores: up to four
    texts are read at a time, each on its part of the cores, and never more than `threads`, which
    may all wait for the `endpoint` together.
    """
    cores = ThreadCores(threads)
    models = ModelHandler(recognizer, embedder)
    pool = local_pool(FirstAlone(models), cores.threads)
    return Engine(
        pool,
        models,
        documents_in_flight=cores.threads,
        threads=threads,
        endpoint=endpoint,
        thread_cores=cores,
    )


def on_processes(
    setup: ModelSetup, workers: int, *, threads: int, endpoint: EndpointRecognizer | None = None
) -> Engine:
    """Return an engine of worker processes, which end with this process, however it ends."""
    models = setup()
    pool = process_pool(setup, workers, models.fingerprint)
    in_flight = 2 * workers
    return Engine(pool, models, documents_in_flight=in_flight, threads=threads, endpoint=endpoint)


class _PoolRecognizer:
    def __init__(
        self, pool: WorkerPool, recognizer: Recognizer, endpoint: EndpointRecognizer | None
    ) -> None:
        self._pool = pool
        self._endpoint = endpoint
        names = [recognizer.fingerprint, *([endpoint.fingerprint] if endpoint else [])]
        self.fingerprint = "+".join(filter(None, names))

    def recognize(self, text: str) -> Sequence[Span]:
        """Return a worker's spans, and those of the endpoint."""
        spans: list[Span] = list(self._pool.ask(RECOGNIZE, text))
        if self._endpoint is not None:
            spans += self._endpoint.recognize(text)
        return spans


class _PoolEmbedder(WrappedEmbedder):
    def __init__(self, pool: WorkerPool, embedder: Embedder) -> None:
        super().__init__(embedder)
        self._pool = pool

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a worker's vectors."""
        vectors: Vectors = self._pool.ask(EMBED, list(texts))
        return vectors
