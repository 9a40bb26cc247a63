"""Workers: processes that answer questions; a worker that dies is replaced.

A worker is set up by an importable function, which travels to it through a pipe of the operating
system: keys and texts are never in a file, an argument or the environment.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from queue import LifoQueue
from typing import Any, Protocol

from sage_rag.common.exceptions import SageRagError

_TRIES = 3
"""Workers that one question may end: more are no coincidence."""
_IN_FLIGHT = 3
"""Questions for each worker of a `map`: one in work, one waiting, one being made."""
_GRACE_S = 3.0
"""How long a worker may take to end before it is killed."""
_HANDSHAKE = "handshake"


class Handler(Protocol):
    """What a worker answers with; built in the worker, since models do not travel."""

    @property
    def fingerprint(self) -> str:
        """Changes with whatever changes the answers; every worker must have the same one."""
        ...

    def answer(self, task: str, argument: Any) -> Any:
        """Return the answer to one question, which has no side effects."""
        ...


SetUp = Callable[[], Handler]
"""Builds a handler in a worker."""


@dataclass(frozen=True, slots=True)
class WorkerReply:
    """A worker's answer, or why there is none; the failure holds no text of the question."""

    value: Any = None
    failure: SageRagError | None = None


class Responder:
    """The worker's side: it sets up a handler with the first question, and replies.

    Guarantees: every exception becomes a reply without its message. The message may quote a text,
    and what carries exceptions between processes writes them to logs.
    """

    def __init__(self, set_up: SetUp) -> None:
        self._set_up = set_up

    def reply(self, task: str, argument: Any = None) -> WorkerReply:
        """Return the handler's answer, or the failure."""
        try:
            if task == _HANDSHAKE:
                return WorkerReply(self._handler.fingerprint)
            return WorkerReply(self._handler.answer(task, argument))
        except SageRagError as error:
            return WorkerReply(failure=error)
        except Exception as error:  # noqa: BLE001 - its message may hold the text
            return WorkerReply(failure=SageRagError(f"a worker failed: {type(error).__name__}"))

    @cached_property
    def _handler(self) -> Handler:
        return self._set_up()


class WorkerLostError(Exception):
    """A worker ended before it answered."""


class Worker(Protocol):
    """One process that answers: another one, or this one."""

    def ask(self, task: str, argument: Any) -> WorkerReply:
        """Wait for the reply.

        Raises:
            WorkerLostError: when the worker ends first.
        """
        ...

    def end(self) -> None:
        """End the worker now; a caller that waits gets `WorkerLostError`. May be called twice."""
        ...


class WorkerPool:
    """Up to `size` workers, each started when it is first needed. For several threads.

    Questions have no side effects: where a worker dies, another one is asked. With a `fingerprint`,
    every worker must have it: one that recognises differently (another version on another machine,
    for example) would miss private values.
    """

    def __init__(self, start: Callable[[], Worker], size: int, fingerprint: str | None) -> None:
        self._start = start
        self._fingerprint = fingerprint
        self._free: LifoQueue[Worker | None] = LifoQueue()
        for _ in range(size):
            self._free.put(None)
        self._workers: set[Worker] = set()
        self._lock = threading.Lock()
        self._closed = False

    def ask(self, task: str, argument: Any) -> Any:
        """Wait for a free worker, and return its answer.

        Raises:
            SageRagError: the worker's failure, or that three workers died over this question.
        """
        for _ in range(_TRIES):
            worker = self._free.get()
            try:
                self._require_open()
                worker = worker or self._started()
                reply = worker.ask(task, argument)
            except WorkerLostError:
                self._discard(worker)
                worker = None
                continue
            finally:
                self._free.put(worker)
            if reply.failure is not None:
                raise reply.failure
            return reply.value
        raise SageRagError(
            f"{_TRIES} worker processes ended, one after the other, over the same text",
            hint="they may have run out of memory: try fewer --workers",
        )

    def close(self) -> None:
        """End every worker; callers that wait get a `SageRagError`."""
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
        try:
            self._check(worker.ask(_HANDSHAKE, None))
        except BaseException:
            self._discard(worker)
            raise
        return worker

    def _check(self, handshake: WorkerReply) -> None:
        """Require a handler with the expected fingerprint.

        A plain `SageRagError`, since other kinds could be taken for the failure of one record.
        """
        failure = handshake.failure
        if failure is not None:
            error = SageRagError(f"a worker cannot be set up: {failure.message}", hint=failure.hint)
            error.exit_code = failure.exit_code
            raise error
        if self._fingerprint not in (None, handshake.value):
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
            raise SageRagError("the workers are closed")


def process_pool(set_up: SetUp, workers: int, fingerprint: str | None = None) -> WorkerPool:
    """Return a pool of processes of this machine, which share its cores evenly."""
    cores = max(1, (os.cpu_count() or 1) // workers)
    return WorkerPool(partial(_ProcessWorker, set_up, cores), workers, fingerprint)


def local_pool(handler: Handler, size: int = 1) -> WorkerPool:
    """Return a pool of workers that are threads of this process: `size` questions at a time."""
    responder = Responder(lambda: handler)
    return WorkerPool(lambda: _LocalWorker(responder), size, None)


def map_on_processes(
    set_up: SetUp, task: str, arguments: Iterable[Any], workers: int
) -> Iterator[Any]:
    """Yield an answer for each argument, in order, while the arguments are being read.

    Guarantees: three arguments for each worker are held at most. No process is left behind when
    the reader stops early or Ctrl-C comes.

    Raises:
        SageRagError: a worker's failure, or that three workers died over one argument.
    """
    pool = process_pool(set_up, workers)
    threads = ThreadPoolExecutor(workers)
    waiting: deque[Future[Any]] = deque()
    try:
        for argument in arguments:
            waiting.append(threads.submit(pool.ask, task, argument))
            if len(waiting) >= _IN_FLIGHT * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.close()
        threads.shutdown(wait=True, cancel_futures=True)


class _LocalWorker:
    def __init__(self, responder: Responder) -> None:
        self._responder = responder

    def ask(self, task: str, argument: Any) -> WorkerReply:
        return self._responder.reply(task, argument)

    def end(self) -> None:
        """Do nothing: its caller gets the answer soon."""


class _ProcessWorker:
    """A worker process. It is spawned, not forked: threads and models do not survive a fork."""

    def __init__(self, set_up: SetUp, cores: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, its_end = context.Pipe()
        self._process = context.Process(target=_serve, args=(its_end, set_up, cores), daemon=True)
        with _interrupts_blocked():
            self._process.start()
        its_end.close()  # with a copy of it open, the worker's end would go unnoticed here

    def ask(self, task: str, argument: Any) -> WorkerReply:
        try:
            self._pipe.send((task, argument))
            reply: WorkerReply = self._pipe.recv()
        except (EOFError, OSError):
            raise WorkerLostError from None
        return reply

    def end(self) -> None:
        self._process.terminate()
        self._process.join(_GRACE_S)
        self._process.kill()
        self._process.join()


def _serve(pipe: Connection, set_up: SetUp, cores: int) -> None:
    """Answer until the pipe is closed: the whole life of a worker process."""
    # Without its own exit it would leave behind what libraries share between processes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ["OMP_NUM_THREADS"] = str(cores)  # torch reads it when it is loaded, which is later
    responder = Responder(set_up)
    with suppress(EOFError, OSError):
        while True:
            task, argument = pipe.recv()
            pipe.send(responder.reply(task, argument))


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Make a process that is started inside ignore Ctrl-C from its first instruction on.

    Ctrl-C reaches the whole process group; the parent decides which processes end, and when.
    """
    resource_tracker.ensure_running()  # starting it later would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    """End this process with its parent: a parent that gets kill -9 cannot end its workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
