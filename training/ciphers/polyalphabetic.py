"""The polyalphabetic substitution of Crypto-LLM: shifts letters of pretraining text by a key."""

from __future__ import annotations

import string
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from sage_rag.common.exceptions import InputError

ALPHABET = string.ascii_uppercase + string.ascii_lowercase
"""A to Z, then a to z: N = 52, numbered from 1 (Figure 3)."""
_N = len(ALPHABET)
_OTHER = 128
_BATCH = 2**15
"""Characters per step: enough to make calls cheap, few enough for the processor's cache."""

_OTHERS = [code for code in range(128) if chr(code) not in ALPHABET]
_TO_NUMBERS = bytes(
    _OTHER + _OTHERS.index(code) if code in _OTHERS else ALPHABET.index(chr(code))
    for code in range(128)
) + bytes(128)
"""ASCII to numbers: letters to 0 to 51, the rest to 128 and up."""
_FROM_NUMBERS = bytes(
    ord(ALPHABET[number % _N]) if number < _OTHER else _OTHERS[(number - _OTHER) % len(_OTHERS)]
    for number in range(256)
)
"""Sums of letter and shift back to letters; the rest back to itself."""


class PolyalphabeticCipher:
    """Shift each letter of a text by the letter of a repeated key, modulo 52.

    The position in the key advances with every character (code point) of the document; characters
    that are not letters are unchanged. For a piece of a document, pass the position of the piece.

    Guarantees: decrypting returns the exact text, whatever characters it contains.
    Does not guarantee: protection. It is a Vigenère cipher: as many known letters of plain text as
    the key is long give the key; without any, letter frequencies give it in a text some dozen
    times as long. Spaces, digits, accented letters and other scripts stay in clear. It only makes
    text unreadable to a model in training.

    Source: Kobashi et al., Crypto-LLM, §4.2 and Figure 3.
    """

    def __init__(self, key: str) -> None:
        """Raise `InputError` unless the key is one or more letters A-Z, a-z."""
        if not key or not set(key) <= set(ALPHABET):
            raise InputError("a polyalphabetic key is one or more letters A-Z, a-z")
        # Numbered from 1, the sum of two letters is one more than numbered from 0.
        shifts = [ALPHABET.index(letter) + 1 for letter in key]
        self._encrypting = bytes(shifts)
        self._decrypting = bytes(_N - shift for shift in shifts)

    def encrypt(self, text: str, *, position: int = 0) -> str:
        """Return the encrypted text; `position`: that of its first character in the document."""
        return _substitute([text], self._encrypting, position)[0]

    def decrypt(self, text: str, *, position: int = 0) -> str:
        """Return the plain text of what was encrypted at the same position."""
        return _substitute([text], self._decrypting, position)[0]

    def encrypt_all(self, texts: Sequence[str]) -> list[str]:
        """Encrypt documents, each from position 0; much faster than `encrypt` for short ones."""
        return _substitute_all(texts, self._encrypting)

    def decrypt_all(self, texts: Sequence[str]) -> list[str]:
        """Decrypt documents, each from position 0."""
        return _substitute_all(texts, self._decrypting)


def _substitute_all(texts: Sequence[str], shifts: bytes) -> list[str]:
    result: list[str] = []
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= _BATCH:
            result += _substitute(batch, shifts, 0)
            batch, size = [], 0
    return result + _substitute(batch, shifts, 0)


def _substitute(texts: Sequence[str], shifts: bytes, position: int) -> list[str]:
    # On bytes, of which a processor handles dozens at once.
    plain = "".join(texts).encode("ascii", "replace").translate(_TO_NUMBERS)
    numbers = np.frombuffer(plain, dtype=np.uint8)
    steps = np.frombuffer(_repeated(shifts, [len(t) for t in texts], position), dtype=np.uint8)
    summed = numbers + steps * (numbers < _OTHER)
    result = summed.tobytes().translate(_FROM_NUMBERS).decode("ascii")
    ends = accumulate(map(len, texts))
    pieces = [result[end - len(text) : end] for text, end in zip(texts, ends, strict=True)]
    return [
        piece if text.isascii() else _merged(text, piece)
        for text, piece in zip(texts, pieces, strict=True)
    ]


def _repeated(shifts: bytes, lengths: Sequence[int], position: int) -> bytes:
    """Return the shift of each character; each text starts at `position`."""
    start = position % len(shifts)
    longest = max(lengths, default=0)
    run = (shifts * (longest // len(shifts) + 2))[start : start + longest]
    return b"".join([run[:length] for length in lengths])


def _merged(text: str, substituted: str) -> str:
    """Return the substituted text with the non-ASCII characters of `text`."""
    # Half surrogate pairs are kept: they are characters of a Python string.
    codes, ours = (
        np.frombuffer(t.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        for t in (text, substituted)
    )
    merged: npt.NDArray[np.uint32] = np.where(codes < _OTHER, ours, codes)
    return merged.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
