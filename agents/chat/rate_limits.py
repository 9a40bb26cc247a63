"""How fast a model may be asked: requests and tokens per minute, and pauses that it asks for."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable

_MINUTE_S = 60.0
_BURST_S = 6.0
"""A tenth of a minute's units may be used at once: servers count in shorter periods, too."""

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]


class TokenBucket:
    """Admit `per_minute` units on average, in the order in which they are requested.

    A request larger than the bucket is admitted; later requests wait until it is paid off.
    """

    def __init__(self, per_minute: float, clock: Clock = time.monotonic) -> None:
        if per_minute <= 0:
            raise ValueError("a rate must be above 0")
        self._rate = per_minute / _MINUTE_S
        self._capacity = max(1.0, self._rate * _BURST_S)
        self._clock = clock
        self._lock = threading.Lock()
        self._level = self._capacity
        self._read_at = clock()

    def take(self, units: float) -> float:
        """Take units, and return how many seconds to wait before using them."""
        with self._lock:
            now = self._clock()
            refilled = self._level + (now - self._read_at) * self._rate
            self._level, self._read_at = min(self._capacity, refilled), now
            # Later requests pay for the units that exceed the bucket.
            wait = max(0.0, min(units, self._capacity) - self._level) / self._rate
            self._level -= units
            return wait

    def correct(self, units: float) -> None:
        """Take more units, or return some (below 0), without waiting."""
        with self._lock:
            self._level = min(self._capacity, self._level - units)


class RateLimits:
    """Limit all calls of one model to its rates, and obey the pauses that it asks for.

    Works across threads and event loops: no lock is held while waiting.
    """

    def __init__(
        self,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        *,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._requests = TokenBucket(requests_per_minute, clock) if requests_per_minute else None
        self._tokens = TokenBucket(tokens_per_minute, clock) if tokens_per_minute else None
        self._clock, self._sleep = clock, sleep
        self._paused_until = float("-inf")

    async def admit(self, tokens: int) -> None:
        """Wait until a call of about `tokens` tokens is allowed."""
        requests_wait = self._requests.take(1) if self._requests else 0.0
        tokens_wait = self._tokens.take(tokens) if self._tokens else 0.0
        wait = max(requests_wait, tokens_wait)
        if wait > 0:
            await self._sleep(wait)
        while (pause := self._paused_until - self._clock()) > 0:
            await self._sleep(pause)

    def correct(self, tokens: int) -> None:
        """Add the difference between the tokens that a call used and its estimate."""
        if self._tokens:
            self._tokens.correct(tokens)

    def pause(self, seconds: float) -> None:
        """Start no call for that long: the server asks all callers to wait."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)
