"""The arithmetic that the checks share: weighted sums, check digits, and wallet addresses.

Ported from `presidio-analyzer` 2.2.366 (MIT, Microsoft and contributors; see `SOURCES.md`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256


def without_separators(value: str, *, without: str = "- ") -> str:
    """Return a value without some separators."""
    return value.translate({ord(c): None for c in without})


def digits_of(value: Iterable[str]) -> list[int]:
    """Return the values of digits. Raises `ValueError` for another character."""
    return [int(c) for c in value]


def numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of a text with spaces."""
    return tuple(map(int, text.split()))


def weighted(digits: Iterable[int], weights: Iterable[int]) -> int:
    """Return the weighted sum of as many digits as there are weights."""
    return sum(d * w for d, w in zip(digits, weights, strict=False))


def digit_sum(number: int) -> int:
    """Return the digit sum of a number under 100."""
    return number // 10 + number % 10


def mod_11_10(digits: Sequence[int]) -> int:
    """Return the check digit of ISO/IEC 7064, MOD 11,10."""
    product = 10
    for digit in digits:
        product = ((digit + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10


_DIHEDRAL = tuple(
    map(
        digits_of,
        "0123456789 1234067895 2340178956 3401289567 4012395678 "
        "5987604321 6598710432 7659821043 8765932104 9876543210".split(),
    )
)
_PERMUTATION = tuple(
    map(
        digits_of,
        "0123456789 1576283094 5803796142 8916043527 "
        "9453126870 4286573901 2793806415 7046913258".split(),
    )
)
"""Source: Verhoeff (1969), Error detecting decimal codes: the group D5 and a permutation."""


def verhoeff(digits: Sequence[int]) -> bool:
    """Return whether the last digit is the check digit of Verhoeff (1969)."""
    state = 0
    for i, digit in enumerate(reversed(digits)):
        state = _DIHEDRAL[state][_PERMUTATION[i % 8][digit]]
    return state == 0


_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_BECH32_GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_BECH32_CONSTANTS = (1, 0x2BC830A3)


def wallet(value: str) -> bool:
    """Check a Bitcoin address. Source: Base58Check; BIP 173 and BIP 350 (Bech32, Bech32m)."""
    if value.startswith(("1", "3")):
        return _base58_check(value)
    return value.startswith("bc1") and _bech32_check(value)


def _base58_check(value: str) -> bool:
    if any(c not in _BASE58 for c in value):
        return False
    bare = value.lstrip("1")
    number = 0
    for c in bare:
        number = number * 58 + _BASE58.index(c)
    size = len(value) - len(bare) + (number.bit_length() + 7) // 8
    decoded = number.to_bytes(size, "big")
    return decoded[-4:] == sha256(sha256(decoded[:-4]).digest()).digest()[:4]


def _bech32_check(value: str) -> bool:
    if value != value.lower() or not value.isascii():
        return False
    prefix, _, data = value.rpartition("1")
    if len(data) < 6 or any(c not in _BECH32 for c in data):
        return False
    values = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
    state = 1
    for v in values + [_BECH32.index(c) for c in data]:
        top, state = state >> 25, (state & 0x1FFFFFF) << 5 ^ v
        for i, term in enumerate(_BECH32_GENERATOR):
            state ^= term if top >> i & 1 else 0
    return state in _BECH32_CONSTANTS
