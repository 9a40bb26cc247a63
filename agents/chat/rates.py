"""How fast a model may be asked: requests and tokens per minute, and pauses it asks for."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable

_MINUTE_S = 60.0
_BURST_S = 6.0
"""A tenth of a minute's allowance may be used at once: servers count in shorter spans, too."""

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]


class TokenBucket:
    """Let through `per_minute` units on average, in the order in which they are asked for.

    A request larger than the bucket is not refused: it is let through, and the next ones wait
    until it is paid off.
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
            # What does not fit into the bucket is paid by those that come after.
            wait = max(0.0, min(units, self._capacity) - self._level) / self._rate
            self._level -= units
            return wait

    def correct(self, units: float) -> None:
        """Take more, or give back what was taken too much (below 0), without waiting."""
        with self._lock:
            self._level = min(self._capacity, self._level - units)


class Rates:
    """Hold all calls to one model to its rates, and to the pauses that it asks for.

    Works across threads and event loops: nothing is held while waiting.
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
        """Wait for a call of about so many tokens to be allowed."""
        requests_wait = self._requests.take(1) if self._requests else 0.0
        tokens_wait = self._tokens.take(tokens) if self._tokens else 0.0
        wait = max(requests_wait, tokens_wait)
        if wait > 0:
            await self._sleep(wait)
        while (pause := self._paused_until - self._clock()) > 0:
            await self._sleep(pause)

    def correct(self, tokens: int) -> None:
        """Enter how many tokens more (or fewer) a call has taken than was thought."""
        if self._tokens:
            self._tokens.correct(tokens)

    def pause(self, seconds: float) -> None:
        """Let no call begin for so long: the server wants to be left alone by all of them."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)
