"""Find the token sequences that share a run of n tokens with another, without comparing all.

Every window of n tokens is hashed to 64 bits. A hit is then compared token by token, so the result
is exact despite hash collisions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""Odd, so that multiplication modulo 2^64 is invertible. Source: Knuth, TAOCP 3, §6.4."""


class NgramIndex:
    """All windows of `n` tokens of a list of sequences, sorted by hash: 16 bytes a window.

    `drop_last` leaves out each sequence's last window, on both sides (see `compat`).
    """

    def __init__(
        self, sequences: Sequence[Sequence[str]], n: int, *, drop_last: bool = False
    ) -> None:
        self._sequences = sequences
        self._n = n
        self._drop_last = drop_last
        self._codes: dict[str, int] = {}
        hashes = [self._windows(sequence) for sequence in sequences]
        owners = np.repeat(np.arange(len(hashes), dtype=np.int32), [len(h) for h in hashes])
        positions = [np.arange(len(h), dtype=np.int32) for h in hashes]
        flat = np.concatenate([np.zeros(0, np.uint64), *hashes])
        order = np.argsort(flat, kind="stable")
        self._hashes = flat[order]
        self._owners = owners[order]
        self._positions = np.concatenate([np.zeros(0, np.int32), *positions])[order]

    def sharing(self, tokens: Sequence[str]) -> list[int]:
        """Return the indices of the sequences that share a window with `tokens`, ascending."""
        windows = self._windows(tokens)
        lows = np.searchsorted(self._hashes, windows, side="left")
        highs = np.searchsorted(self._hashes, windows, side="right")
        found: set[int] = set()
        for start in map(int, np.flatnonzero(lows < highs)):
            window = list(tokens[start : start + self._n])
            for entry in range(int(lows[start]), int(highs[start])):
                owner, position = int(self._owners[entry]), int(self._positions[entry])
                if owner not in found and self._occurs_at(window, owner, position):
                    found.add(owner)
        return sorted(found)

    def _occurs_at(self, window: list[str], owner: int, position: int) -> bool:
        return list(self._sequences[owner][position : position + self._n]) == window

    def _windows(self, tokens: Sequence[str]) -> NDArray[np.uint64]:
        count = max(0, len(tokens) - self._n + (0 if self._drop_last else 1))
        codes = np.fromiter(map(self._code, tokens), dtype=np.uint64, count=len(tokens))
        hashes = np.zeros(count, dtype=np.uint64)
        for offset in range(self._n):
            hashes = hashes * _MULTIPLIER + codes[offset : offset + count]
        return hashes

    def _code(self, token: str) -> int:
        code = self._codes.get(token)
        if code is None:
            digest = hashlib.blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8)
            code = self._codes[token] = int.from_bytes(digest.digest())
        return code
