"""A bounded pool of threads for the blocking work of requests.

A service has one pool for searches and another one for what must stay quick under load, such as
health checks: abandoned searches cannot occupy the threads of the second.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

from sage_rag.common.deadlines import Deadline, deadline
from sage_rag.common.exceptions import SageRagError

P = ParamSpec("P")
T = TypeVar("T")


class OverloadedError(SageRagError):
    """A service has more requests than it can answer in time."""

    http = 503, "overloaded"
    retry_after_s = 2.0


class WorkPool:
    """Run blocking functions in threads; bound how many wait and how long each may take.

    Work whose caller is cancelled leaves the queue. If it runs already, its next
    `deadlines.checkpoint` ends it.
    """

    def __init__(
        self,
        threads: int,
        *,
        waiting: int = 64,
        deadline_s: float = 30.0,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        """Start no thread yet. `waiting`: the longest queue; `prepare` runs in each new thread."""
        self._executor = ThreadPoolExecutor(threads, "work", initializer=prepare)
        self._most = threads + waiting
        self._deadline_s = deadline_s
        self._pending = 0
        self._lock = threading.Lock()

    @property
    def pending(self) -> int:
        """The number of works that run or wait."""
        return self._pending

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of a function that runs in one of the threads.

        Raises:
            OverloadedError: when the queue is full or the deadline passes.
        """
        limit = Deadline(self._deadline_s)
        context = copy_context()

        def bounded() -> T:
            with deadline(limit):
                limit.check()
                return work(*args, **kwargs)

        future = self._submit(lambda: context.run(bounded))
        try:
            async with asyncio.timeout(self._deadline_s):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            raise OverloadedError(
                f"the request was not done within {self._deadline_s:g} s", hint="ask again later"
            ) from None
        finally:
            limit.cancel()
            future.cancel()

    def close(self) -> None:
        """Refuse new work and drop what waits."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _submit(self, work: Callable[[], T]) -> Future[T]:
        with self._lock:
            if self._pending >= self._most:
                raise OverloadedError("too many requests are waiting", hint="ask again later")
            self._pending += 1
        try:
            future = self._executor.submit(work)
        except BaseException:
            self._done(None)
            raise
        future.add_done_callback(self._done)
        return future

    def _done(self, _: object) -> None:
        with self._lock:
            self._pending -= 1
