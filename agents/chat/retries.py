"""Asking again after faults that may pass: the one place where that happens."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sage_rag.agents.chat.protocols import RetryableError, RetryableTimeoutError, UnusableReplyError
from sage_rag.agents.chat.rates import Clock, Rates, Sleep
from sage_rag.common.exceptions import UpstreamError

PATIENCE_S = 300.0
"""A server that loads its weights anew is back within minutes."""
_FIRST_PATIENCE_S = 5.0
"""Where nobody has ever answered, the address is more likely wrong than the server away."""
_BASE_S, _CAP_S = 0.5, 30.0
_LONG_S = 30.0
"""Waits from here on are announced, so that a silent run is not taken for a dead one."""
_LATER = "finished documents are kept; start again when it is back, or raise `model.patience_s`"

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class Retrying:
    """Ask until there is an answer or `patience_s` after the first failure are over.

    Pauses grow exponentially with full jitter. `Retry-After` is obeyed to the full, by all calls
    of `rates`, and announced once where it is long.

    Source: Brooker (2015), Exponential backoff and jitter, AWS Architecture Blog ("full jitter").
    """

    def __init__(
        self,
        patience_s: float = PATIENCE_S,
        *,
        rates: Rates | None = None,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        jitter: Callable[[float, float], float] = random.uniform,
        announce: Callable[[str], None] = _log.warning,
    ) -> None:
        self._patience_s = patience_s
        self._rates = rates or Rates()
        self._clock, self._sleep, self._jitter, self._announce = clock, sleep, jitter, announce
        self._answered = False
        self._announced_until = float("-inf")

    async def call(self, ask: Callable[[], Awaitable[_T]], retried: Callable[[], None]) -> _T:
        """Return what `ask` returns; `retried` is called before each further try.

        Raises:
            UpstreamError: when patience is over, or `ask` raises it as final.
        """
        tries, failing_since = 0, 0.0
        rare = 0  # in a row, of those that seldom pass
        while True:
            try:
                reply = await ask()
            except RetryableError as error:
                tries += 1
                rare = rare + 1 if error.max_tries is not None else 0
                failing_since = failing_since if tries > 1 else self._clock()
                if error.max_tries is not None and rare >= error.max_tries:
                    line = f"{error.message}, {rare} times in a row"
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
        """Return how long to wait before the next try, or raise if there is none."""
        self._answered = self._answered or error.answered
        # An endpoint that has answered is at the right address: waiting helps, checking does not.
        waiting_helps = self._answered and not isinstance(error, RetryableTimeoutError)
        hint = _LATER if waiting_helps else error.hint or _LATER
        first = _FIRST_PATIENCE_S
        patience = self._patience_s if self._answered else min(first, self._patience_s)
        asked = max(0.0, error.retry_after_s or 0.0)
        if failing_s >= patience or failing_s + asked > patience:
            raise UpstreamError(self._given_up(error, tries, asked, patience), hint=hint) from None
        if asked:
            self._rates.pause(asked)
            self._tell(asked)
        jitter = self._jitter(0.0, min(_CAP_S, _BASE_S * 2.0 ** min(tries, 16)))
        # The last try is made when patience ends, not given away to a pause that is too long.
        return max(asked, min(asked + jitter, patience - failing_s))

    def _given_up(self, error: RetryableError, tries: int, asked: float, patience: float) -> str:
        if asked > patience:
            wants = f"asks to be left alone for {asked:,.0f} s"
            return f"{error.message} and {wants}, longer than the patience of {patience:,.0f} s"
        counted = "1 try" if tries == 1 else f"{tries} tries"
        return f"{error.message}; given up after {counted} in {patience:,.0f} s"

    def _tell(self, wait: float) -> None:
        now = self._clock()
        if wait >= _LONG_S and now + wait > self._announced_until + _LONG_S:
            self._announced_until = now + wait
            self._announce(f"the model endpoint asks to wait {wait:,.0f} s; waiting")
