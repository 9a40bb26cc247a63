"""Workers that answer one question at a time, and take each other's place when one dies."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import LifoQueue
from typing import Any, Protocol

from sage_rag.common.exceptions import SageRagError
from sage_rag.indexer.engines.tools import Task, WorkerReply

_TRIES = 3
"""Workers that one question may cost: what kills that many is not chance."""


class WorkerLostError(Exception):
    """A worker ended before it answered."""


class Worker(Protocol):
    """One process that answers, or this one."""

    def ask(self, task: Task, argument: Any) -> WorkerReply:
        """Wait for the answer.

        Raises:
            WorkerLostError: when there will be none.
        """
        ...

    def end(self) -> None:
        """End it at once; who waits for it hears that it is lost. May be called twice."""
        ...


class Pool:
    """As many workers as asked for, each started when it is first needed.

    Questions have no side effects, so that one whose worker died is asked again of another.
    `introduction`: what every worker must say of itself: one that recognises otherwise, another
    version on another machine, say, would let something private pass.
    """

    def __init__(
        self, start: Callable[[], Worker], size: int, introduction: Sequence[str] | None
    ) -> None:
        self._start = start
        self._introduction = introduction
        self._free: LifoQueue[Worker | None] = LifoQueue()
        for _ in range(size):
            self._free.put(None)
        self._workers: set[Worker] = set()
        self._lock = threading.Lock()
        self._closed = False

    def ask(self, task: Task, argument: Any) -> Any:
        """Return a worker's answer; waits for a free one first.

        Raises:
            SageRagError: what the worker met, or that workers died over this question.
        """
        for _ in range(_TRIES):
            worker = self._free.get()
            try:
                self._require_open()
                worker = worker or self._started()
                answer = worker.ask(task, argument)
            except WorkerLostError:
                self._discard(worker)
                worker = None
                continue
            finally:
                self._free.put(worker)
            if answer.failure is not None:
                raise answer.failure
            return answer.value
        raise SageRagError(
            f"{_TRIES} workers ended, one after the other, over the same document",
            hint="they may have run out of memory: try fewer --workers",
        )

    def close(self) -> None:
        """End every worker; whoever waits for one hears that the engine is closed."""
        with self._lock:
            self._closed = True
            workers = list(self._workers)
        for worker in workers:
            worker.end()

    def _started(self) -> Worker:
        with self._lock:
            self._require_open()
            worker = self._start()
            self._workers.add(worker)
        if self._introduction is not None:
            self._greet(worker, tuple(self._introduction))
        return worker

    def _greet(self, worker: Worker, expected: tuple[str, ...]) -> None:
        try:
            said = worker.ask("introduce", None)
        except WorkerLostError:
            self._discard(worker)
            raise
        if said.failure is not None:
            self._discard(worker)
            raise SageRagError(
                f"a worker cannot be set up: {said.failure.message}", hint=said.failure.hint
            )
        if tuple(said.value) != expected:
            self._discard(worker)
            raise SageRagError(
                "a worker does not recognise or embed as this process does",
                hint="install the same sage-rag, with the same models, on every machine",
            )

    def _discard(self, worker: Worker | None) -> None:
        if worker is not None:
            with self._lock:
                self._workers.discard(worker)
            worker.end()

    def _require_open(self) -> None:
        if self._closed:
            raise SageRagError("the engine is closed")
