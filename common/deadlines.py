"""Deadlines that blocking work checks itself, because a thread cannot be stopped from outside."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sage_rag.common.exceptions import SageRagError


class WorkAbandonedError(SageRagError):
    """Work was stopped: its deadline passed, or no one waits for its result."""

    http = 503, "overloaded"
    retry_after_s = 5.0


class Deadline:
    """The moment at which work has to end; `cancel` makes it now. Safe to share between threads."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def cancel(self) -> None:
        """Let the next check fail."""
        self._end = 0.0

    def check(self) -> None:
        """Return if there is time left.

        Raises:
            WorkAbandonedError: when the deadline passed.
        """
        if time.monotonic() > self._end:
            raise WorkAbandonedError("the work took too long", hint="ask again later")


_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def deadline(limit: Deadline) -> Iterator[None]:
    """Apply a deadline to the `checkpoint` calls inside the block."""
    token = _current.set(limit)
    try:
        yield
    finally:
        _current.reset(token)


def checkpoint() -> None:
    """Raise `WorkAbandonedError` if this work has a deadline that passed; long loops call it."""
    limit = _current.get()
    if limit is not None:
        limit.check()
