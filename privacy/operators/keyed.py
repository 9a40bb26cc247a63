"""Choose by a key: equal values get equal surrogates everywhere, without a table."""

from __future__ import annotations

import hashlib
import hmac
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from sage_rag.privacy.words import normalize


class KeyedChoice:
    """Derive numbers that only the holder of the key can predict. `repr` shows no key."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        self._key = key

    def digest(self, *parts: str) -> bytes:
        """Return 32 bytes for a purpose and a value, by HMAC-SHA256."""
        return hmac.digest(self._key, "\0".join(parts).encode("utf-8", "surrogatepass"), "sha256")

    def number(self, below: int, *parts: str) -> int:
        """Return a number in `[0, below)`; biased by less than 2^-64 for any `below` in use."""
        return int.from_bytes(self.digest(*parts)[:16]) % below

    def stream(self, *parts: str) -> Iterator[int]:
        """Yield bytes without end."""
        counter = 0
        while True:
            yield from self.digest(*parts, str(counter))
            counter += 1


class Ring:
    """Choose among candidates by consistent hashing.

    A candidate that a newer list adds or drops changes only the values that map to it, so that a
    library's update does not change a whole corpus. The price: chances are uneven, and two values
    share a candidate about twice as often as with even chances.

    Source: Karger et al. (1997), "Consistent hashing and random trees".
    """

    __slots__ = ("_candidates", "_points")

    def __init__(self, candidates: Iterable[str]) -> None:
        placed = sorted((hashlib.sha256(c.encode()).digest(), c) for c in set(candidates))
        if len(placed) < 2:
            raise ValueError("a choice needs two candidates")
        self._points = [point for point, _ in placed]
        self._candidates = [candidate for _, candidate in placed]

    def __len__(self) -> int:
        return len(self._candidates)

    def pick(self, point: bytes, avoid: str) -> str:
        """Return the candidate after `point`; never one that equals `avoid` when normalised."""
        avoided = normalize(avoid)
        first = bisect_left(self._points, point)
        for step in range(len(self)):
            found = self._candidates[(first + step) % len(self)]
            if normalize(found) != avoided:
                return found
        raise ValueError("every candidate equals the value")


def like(model: str, value: str) -> str:
    """Return `value` in the case of `model`: all capitals, all small, or unchanged."""
    letters = [c for c in model if c.isalpha()]
    if len(letters) > 1 and all(c.isupper() for c in letters):
        return value.upper()
    if letters and all(c.islower() for c in letters):
        return value.lower()
    return value
