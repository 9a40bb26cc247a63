"""Counts of requests and tokens by API key, shared by the processes of a server."""

from __future__ import annotations

import hashlib
import math
import mmap
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from sage_rag.common.shared_memory import SharedMemory
from sage_rag.common.web.errors import ApiError
from sage_rag.rag_server.access.keys import ApiKey

_PLACES = 4096
"""Keys that can be counted: more than an operator makes."""
_PLACE = struct.Struct("<8s8sddqq")
_EMPTY = bytes(8)
_MINUTE_S, _DAY_S = 60.0, 86_400.0


@dataclass
class _Count:
    """What one key has used. `requests_left` is a token bucket, filled up to `at` (seconds)."""

    requests_left: float
    at: float
    day: int
    tokens: int


class Meters:
    """Counts the requests per minute and the tokens per day of each API key.

    The counts are in memory that a process shares with those that it forks, so that the workers of
    a server keep one rate and one budget for each key. They begin again when the server starts.

    Guarantees: each request and each token is counted once, in whichever process; the end of a
    process blocks no other one.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Make the shared memory. `clock`: the same in all processes."""
        self._clock = clock
        self._shared = SharedMemory(_PLACES * _PLACE.size)

    def request(self, key: ApiKey) -> None:
        """Count a request of a key.

        Raises:
            ApiError: 429 above its rate or budget.
        """
        if key.requests_per_minute is None and key.tokens_per_day is None:
            return
        with self._count(key) as count:
            if key.tokens_per_day is not None and count.tokens >= key.tokens_per_day:
                wait_s = _DAY_S - time.time() % _DAY_S
                raise _too_many("tokens per day", key.tokens_per_day, wait_s)
            if (most := key.requests_per_minute) is not None:
                now = self._clock()
                filled = count.requests_left + (now - count.at) * most / _MINUTE_S
                count.requests_left, count.at = min(float(most), filled), now
                if count.requests_left < 1:
                    wait_s = (1 - count.requests_left) * _MINUTE_S / most
                    raise _too_many("requests per minute", most, wait_s)
                count.requests_left -= 1

    def spend(self, key: ApiKey, tokens: int) -> None:
        """Count tokens against the budget of a key."""
        if key.tokens_per_day is not None:
            with self._count(key) as count:
                count.tokens += tokens

    @contextmanager
    def _count(self, key: ApiKey) -> Iterator[_Count]:
        """Yield the count of a key, and store it at the end, also after a refusal."""
        name, limits, today = key.id.encode(), _digest(key), datetime.now(UTC).toordinal()
        with self._shared.locked() as memory:
            offset = _place(memory, name)
            stored, stored_limits, *numbers = _PLACE.unpack_from(memory, offset)
            count = _Count(*numbers)
            if stored == _EMPTY or stored_limits != limits:
                count = _Count(float(key.requests_per_minute or 0), self._clock(), today, 0)
            if count.day != today:
                count.day, count.tokens = today, 0
            try:
                yield count
            finally:
                numbers = [count.requests_left, count.at, count.day, count.tokens]
                _PLACE.pack_into(memory, offset, name, limits, *numbers)


def _place(memory: mmap.mmap, name: bytes) -> int:
    """Return the offset of a key's count: the first place from its own that is its or empty."""
    first = int(name, 16)
    for step in range(_PLACES):
        offset = (first + step) % _PLACES * _PLACE.size
        if memory[offset : offset + len(_EMPTY)] in (name, _EMPTY):
            return offset
    raise ApiError(503, "there are too many API keys", code="keys_unavailable")


def _digest(key: ApiKey) -> bytes:
    """Return a digest of a key and its limits: with other limits, its counts begin again."""
    return hashlib.sha256(key.model_dump_json().encode()).digest()[: len(_EMPTY)]


def _too_many(what: str, limit: int, wait_s: float) -> ApiError:
    return ApiError(
        429,
        f"this API key has used its {limit:,} {what}",
        code="rate_limit_exceeded",
        headers={"retry-after": str(math.ceil(wait_s))},
    )
