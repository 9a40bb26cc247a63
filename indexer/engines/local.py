"""Engines of one machine: this process, or several that share its cores."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any

from sage_rag.indexer.engines.pool import Pool, WorkerLostError
from sage_rag.indexer.engines.pooled import EndpointRecognizer, PooledEngine
from sage_rag.indexer.engines.tools import Task, WorkerReply, WorkerSetup, WorkerTools
from sage_rag.indexer.protocols import Embedder
from sage_rag.privacy.protocols import Recognizer

_GRACE_S = 3.0
"""How long a worker that is to end may take before it is killed."""


def in_process(
    recognizer: Recognizer,
    embedder: Embedder,
    *,
    threads: int,
    beside: EndpointRecognizer | None = None,
) -> PooledEngine:
    """Return an engine that works in this process, apart from the event loop.

    One text at a time: a network uses every core for one text, and Python runs one thread at a
    time anyway. `beside` is waited for by as many `threads` as ask it.
    """
    bench = WorkerTools(WorkerSetup(lambda: recognizer, lambda: embedder))
    pool = Pool(lambda: _Here(bench), 1, None)
    return PooledEngine(pool, recognizer, embedder, at_once=1, threads=threads, beside=beside)


def on_processes(
    tools: WorkerSetup, workers: int, *, threads: int, beside: EndpointRecognizer | None = None
) -> PooledEngine:
    """Return an engine of worker processes, which share the cores evenly.

    Texts travel through pipes of the operating system. Workers end with this process, however it
    ends.
    """
    cores = max(1, (os.cpu_count() or 1) // workers)
    recognizer, embedder = tools.recognizer(), tools.embedder()
    pool = Pool(partial(_Process, tools, cores), workers, (recognizer.fingerprint, embedder.name))
    return PooledEngine(
        pool, recognizer, embedder, at_once=2 * workers, threads=threads, beside=beside
    )


class _Here:
    """The worker that is this process."""

    def __init__(self, bench: WorkerTools) -> None:
        self._bench = bench

    def ask(self, task: Task, argument: Any) -> WorkerReply:
        return self._bench.answer(task, argument)

    def end(self) -> None:
        """Nothing: whoever asked has the answer in no time."""


class _Process:
    """A worker process. Started afresh, not forked: threads and models do not survive a fork."""

    def __init__(self, tools: WorkerSetup, cores: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, its = context.Pipe()
        self._process = context.Process(target=_serve, args=(its, tools, cores), daemon=True)
        with _deaf():
            self._process.start()
        its.close()  # or its end would not show here

    def ask(self, task: Task, argument: Any) -> WorkerReply:
        try:
            self._pipe.send((task, argument))
            answer: WorkerReply = self._pipe.recv()
        except (EOFError, OSError):
            raise WorkerLostError from None
        return answer

    def end(self) -> None:
        self._process.terminate()
        self._process.join(_GRACE_S)
        self._process.kill()
        self._process.join()


def _serve(pipe: Connection, tools: WorkerSetup, cores: int) -> None:
    """Answer until nobody asks any more; the whole life of a worker process."""
    # Killed outright, it would leave behind what libraries share between processes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ["OMP_NUM_THREADS"] = str(cores)  # read when torch is loaded, which is later
    bench = WorkerTools(tools)
    with suppress(EOFError, OSError):
        while True:
            task, argument = pipe.recv()
            pipe.send(bench.answer(task, argument))


@contextmanager
def _deaf() -> Iterator[None]:
    """Let a process that is started inside be deaf to Ctrl-C from its first instruction on.

    Ctrl-C reaches the whole process group; the parent decides what ends, and when.
    """
    resource_tracker.ensure_running()  # at its own start it would open our ears again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    """End this process once its parent has: after kill -9 that could not tell us to."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
