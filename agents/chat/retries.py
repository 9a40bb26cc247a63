"""Asking again after faults that may be temporary: the only place that does so."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sage_rag.agents.chat.protocols import (
    RetryableError,
    RetryableTimeoutError,
    UnusableReplyError,
)
from sage_rag.agents.chat.rate_limits import Clock, RateLimits, Sleep
from sage_rag.common.counting import counted
from sage_rag.common.exceptions import UpstreamError

PATIENCE_S = 300.0
"""A server that loads its weights again is back within minutes."""
_FIRST_PATIENCE_S = 5.0
"""If there was never an answer, the address is more likely wrong than the server away."""
_BASE_S, _CAP_S = 0.5, 30.0
_LONG_S = 30.0
"""Longer waits are announced, so that a silent run is not taken for a dead one."""
_LATER = "finished documents are kept; start again when it is back, or raise `model.patience_s`"

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class RetryPolicy:
    """Ask until there is an answer, or until `patience_s` after the first failure.

    Pauses grow exponentially with full jitter. All calls of `rates` obey `Retry-After` in full; a
    long one is announced once.

    Source: Brooker (2015), Exponential backoff and jitter, AWS Architecture Blog ("full jitter").
    """

    def __init__(
        self,
        patience_s: float = PATIENCE_S,
        *,
        rates: RateLimits | None = None,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        jitter: Callable[[float, float], float] = random.uniform,
        announce: Callable[[str], None] = _log.warning,
    ) -> None:
        self._patience_s = patience_s
        self._rates = rates or RateLimits()
        self._clock, self._sleep, self._jitter, self._announce = clock, sleep, jitter, announce
        self._answered = False
        self._announced_until = float("-inf")

    async def call(self, ask: Callable[[], Awaitable[_T]], retried: Callable[[], None]) -> _T:
        """Return what `ask` returns; `retried` is called before each further try.

        Raises:
            UpstreamError: when the patience ends, or `ask` raises it as final.
        """
        tries, failing_since = 0, 0.0
        limited = 0  # faults with `max_tries`, in a row
        while True:
            try:
                reply = await ask()
            except RetryableError as error:
                tries += 1
                limited = limited + 1 if error.max_tries is not None else 0
                failing_since = failing_since if tries > 1 else self._clock()
                if error.max_tries is not None and limited >= error.max_tries:
                    line = f"{error.message}, {limited} times in a row"
                    raise UpstreamError(line, hint=error.hint or _LATER) from None
                wait = self._wait(error, tries, self._clock() - failing_since)
            except UnusableReplyError:
                self._answered = True
                raise
            else:
                self._answered = True
                return reply
            await self._sleep(wait)
            retried()

    def _wait(self, error: RetryableError, tries: int, failing_s: float) -> float:
        """Return how long to wait before the next try; raise `UpstreamError` if there is none."""
        self._answered = self._answered or error.answered
        first = min(_FIRST_PATIENCE_S, self._patience_s)
        patience = self._patience_s if self._answered else first
        asked = max(0.0, error.retry_after_s or 0.0)
        if failing_s >= patience or failing_s + asked > patience:
            message = _given_up(error, tries, asked, patience)
            raise UpstreamError(message, hint=self._hint(error)) from None
        if asked:
            self._rates.pause(asked)
            self._announce_once(asked)
        jitter = self._jitter(0.0, min(_CAP_S, _BASE_S * 2.0 ** min(tries, 16)))
        # A pause is shortened to make one last try when the patience ends.
        return max(asked, min(asked + jitter, patience - failing_s))

    def _hint(self, error: RetryableError) -> str:
        """If the endpoint ever answered, its address is right: then only waiting helps."""
        if self._answered and not isinstance(error, RetryableTimeoutError):
            return _LATER
        return error.hint or _LATER

    def _announce_once(self, wait: float) -> None:
        now = self._clock()
        if wait >= _LONG_S and now + wait > self._announced_until + _LONG_S:
            self._announced_until = now + wait
            self._announce(f"the model endpoint asks to wait {wait:,.0f} s; waiting")


def _given_up(error: RetryableError, tries: int, asked: float, patience: float) -> str:
    if asked > patience:
        wait = f"asks to wait {asked:,.0f} s"
        return f"{error.message} and {wait}, longer than the patience of {patience:,.0f} s"
    told = counted(tries, "try", "tries")
    return f"{error.message}; given up after {told} in {patience:,.0f} s"
