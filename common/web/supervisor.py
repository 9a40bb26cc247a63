"""Several processes that serve one address: started, replaced when they end, stopped together."""

from __future__ import annotations

import logging
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import NoReturn

_ENDING = frozenset({signal.SIGTERM, signal.SIGINT})
_SIGNALS = _ENDING | {signal.SIGCHLD, signal.SIGALRM}
_POLL_S = 0.1
"""How often the wait for a process that starts looks for a signal that ends it."""
_RESTART_S = 1.0
"""A process that ended is replaced at most this often."""
_READY = b"."
log = logging.getLogger("sage_rag")

Serve = Callable[[int, Callable[[], object]], None]
"""Serves in a process: gets its number, from 1, and a function to call when it accepts requests."""


class Supervisor:
    """Runs `count` forked processes that share the memory which exists before.

    The first one starts alone, so that what keeps it from starting is reported once. A process that
    ends is replaced. SIGTERM and SIGINT end all of them, each after its open requests; a process
    that starts ends at once. The processes end if this one is killed.
    """

    def __init__(self, count: int, serve: Serve, *, end_s: float) -> None:
        """`end_s`: how long processes may take to end before they are killed."""
        self._count = count
        self._serve = serve
        self._end_s = end_s
        self._numbers: dict[int, int] = {}
        """The number of each process, by its id."""
        self._started: dict[int, float] = {}
        self._alive, self._kept_open = os.pipe()

    def run(self, ready: Callable[[], object]) -> None:
        """Serve until a signal ends it; call `ready` when the processes accept requests.

        A later process that ends before is replaced, and `ready` does not wait for it.

        Raises:
            SystemExit: when the first process does not start, with its status; it has said why. In
                the processes themselves, at their end.
            KeyboardInterrupt: after SIGINT.
        """
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            self._start_first()
            if not _is_ending():
                for accepts in [self._start_reporting(n)[1] for n in range(2, self._count + 1)]:
                    accepts()
            if not _is_ending():
                ready()
            ended_by = self._supervise()
            self._end_all()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if ended_by == signal.SIGINT:
            raise KeyboardInterrupt

    def _start_first(self) -> None:
        process, accepts = self._start_reporting(1)
        if not accepts() and not _is_ending():
            _, status = os.waitpid(process, 0)
            sys.exit(os.waitstatus_to_exitcode(status) or 1)

    def _start_reporting(self, number: int) -> tuple[int, Callable[[], bool]]:
        """Start a process; return its id, and what waits until it accepts requests.

        The wait returns whether it does; it also ends with the process, or when a signal asks for
        the end of all.
        """
        reading, writing = os.pipe()
        process = self._start(number, lambda: os.write(writing, _READY))
        os.close(writing)

        def accepts() -> bool:
            try:
                while not _is_ending():
                    if select.select([reading], [], [], _POLL_S)[0]:
                        return os.read(reading, 1) == _READY
                return False
            finally:
                os.close(reading)

        return process, accepts

    def _start(self, number: int, ready: Callable[[], object] = lambda: None) -> int:
        """Fork a process that serves; return its id. In the process itself, do not return."""
        self._started[number] = time.monotonic()
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if process == 0:
            self._work(number, ready)
        self._numbers[process] = number
        return process

    def _work(self, number: int, ready: Callable[[], object]) -> NoReturn:
        """Serve in a new process; an exception ends it as it would end a single one."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        os.close(self._kept_open)
        threading.Thread(target=self._end_with_parent, name="parent", daemon=True).start()
        self._serve(number, ready)
        raise SystemExit(0)

    def _end_with_parent(self) -> None:
        os.read(self._alive, 1)  # no one writes: it returns when the parent has ended
        os.kill(os.getpid(), signal.SIGTERM)

    def _supervise(self) -> signal.Signals:
        """Replace processes that end, until a signal asks for the end; return it."""
        waiting: set[int] = set()
        while True:
            received = signal.Signals(signal.sigwait(_SIGNALS))
            if received in _ENDING:
                return received
            for number, status in self._ended():
                log.error("worker %d ended with status %d; another one starts", number, status)
                waiting.add(number)
            now = time.monotonic()
            for number in [n for n in waiting if now - self._started[n] >= _RESTART_S]:
                waiting.remove(number)
                self._start(number)
            if waiting:
                signal.setitimer(signal.ITIMER_REAL, _RESTART_S)

    def _end_all(self) -> None:
        """End all processes, those that take too long by force."""
        self._signal_all(signal.SIGTERM)
        signal.setitimer(signal.ITIMER_REAL, self._end_s)
        while self._numbers:
            if signal.sigwait(_SIGNALS) != signal.SIGCHLD:
                self._signal_all(signal.SIGKILL)
            list(self._ended())
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _signal_all(self, number: signal.Signals) -> None:
        for process in self._numbers:
            os.kill(process, number)

    def _ended(self) -> Iterator[tuple[int, int]]:
        """Yield the number and the status of each process that has ended."""
        for process in list(self._numbers):
            found, status = os.waitpid(process, os.WNOHANG)
            if found:
                yield self._numbers.pop(process), os.waitstatus_to_exitcode(status)


def _is_ending() -> bool:
    """Return whether a signal that is still blocked asks for the end."""
    return not _ENDING.isdisjoint(signal.sigpending())
