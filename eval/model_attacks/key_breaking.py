"""Break the polyalphabetic cipher of Crypto-LLM from ciphertext alone, or with a known phrase.

The attacker knows the cipher and the alphabet, but not the key or its length, and has some other
text in the language. Digits, spaces and punctuation are in clear.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sage_rag.common.exceptions import InputError
from sage_rag.training.ciphers.polyalphabetic import ALPHABET

N = len(ALPHABET)
LONGEST_KEY = 200
"""Key lengths from 1 to this are tried."""
_SHORTLIST = 12
_NUMBERS = np.full(128, -1, dtype=np.int64)
_NUMBERS[[ord(letter) for letter in ALPHABET]] = np.arange(N)
_LETTER = re.compile("[A-Za-z]")


def letter_numbers(text: str) -> NDArray[np.int64]:
    """Return the number of each character in the alphabet, 0 to 51, and -1 for all others: (n,)."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    return np.where(codes < 128, _NUMBERS[np.minimum(codes, 127)], -1)


@dataclass(frozen=True, slots=True)
class Language:
    """What the attacker knows of the language: log p of each letter, in nats: (52,)."""

    log_p: NDArray[np.float64]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Language:
        """Count the letters of texts; each is counted once more.

        Raises:
            InputError: when the texts have no letter A-Z, a-z.
        """
        counts = np.ones(N)
        for text in texts:
            numbers = letter_numbers(text)
            counts += np.bincount(numbers[numbers >= 0], minlength=N)
        if counts.sum() == N:
            raise InputError("the texts that show letter frequencies have no letters A-Z, a-z")
        return cls(np.log(counts / counts.sum()))

    def shifted(self) -> NDArray[np.float64]:
        """Return log p of each ciphertext letter under each shift: (letter, shift)."""
        letters = np.arange(N)
        shifted: NDArray[np.float64] = self.log_p[(letters[:, None] - letters[None, :]) % N]
        return shifted


@dataclass(frozen=True, slots=True)
class _Guess:
    """A key, and by how much it explains the ciphertext: log p less the cost of its letters."""

    shifts: NDArray[np.int64]
    score: float


def break_key(ciphertext: str, language: Language) -> NDArray[np.int64]:
    """Return the shifts of the likeliest key, from the letters' frequencies: (key length,).

    The index of coincidence proposes key lengths (Friedman, 1922); for each of them, every position
    of the key gets the shift with the likeliest letters. A longer key has to explain the letters
    better by log 52 for each of its own.
    """
    numbers = letter_numbers(ciphertext)
    places = np.flatnonzero(numbers >= 0)
    lengths = _coincident_lengths(numbers[places], places)
    return _best(_guess(numbers[places], places, length, language) for length in lengths)


def break_key_with_crib(ciphertext: str, crib: str, language: Language) -> NDArray[np.int64]:
    """Return the likeliest key when a phrase of the plain text is known, but not its place.

    Characters that are not letters show where the phrase may be. Each such place gives key letters
    that must agree with one another; positions of the key that it does not show get their shifts
    from frequencies.
    """
    numbers, known = letter_numbers(ciphertext), letter_numbers(crib)
    letters = np.flatnonzero(known >= 0)
    places = np.flatnonzero(numbers >= 0)
    guesses = []
    for start in _places_of(crib, ciphertext):
        shown = (numbers[letters + start] - known[letters]) % N
        outside = places[(places < start) | (places >= start + len(crib))]
        for length in range(1, LONGEST_KEY + 1):
            fixed = _agreeing((letters + start) % length, shown, length)
            if fixed is not None:
                guesses.append(_guess(numbers[outside], outside, length, language, fixed))
    return _best(guesses) if guesses else break_key(ciphertext, language)


def decrypt_letters(ciphertext: str, shifts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of the plain letters, and -1 for all other characters."""
    numbers = letter_numbers(ciphertext)
    plain = (numbers - shifts[np.arange(len(numbers)) % len(shifts)]) % N
    return np.where(numbers >= 0, plain, -1)


def _coincident_lengths(letters: NDArray[np.int64], places: NDArray[np.int64]) -> list[int]:
    """Return the key lengths with most coincidences, in standard deviations above even letters."""
    excess = np.full(LONGEST_KEY + 1, -math.inf)
    for length in range(1, LONGEST_KEY + 1):
        counts = _columns(letters, places, length)
        totals = counts.sum(axis=1)
        pairs = float((totals * (totals - 1)).sum())
        if pairs:
            equal = float((counts * (counts - 1)).sum())
            excess[length] = (equal - pairs / N) / math.sqrt(pairs)
    return [
        int(length) for length in np.argsort(-excess)[:_SHORTLIST] if excess[length] > -math.inf
    ]


def _columns(
    letters: NDArray[np.int64], places: NDArray[np.int64], length: int
) -> NDArray[np.int64]:
    """Return how often each letter is at each position of the key: (length, 52)."""
    flat = np.bincount((places % length) * N + letters, minlength=length * N)
    return flat.reshape(length, N)


def _guess(
    letters: NDArray[np.int64],
    places: NDArray[np.int64],
    length: int,
    language: Language,
    fixed: NDArray[np.int64] | None = None,
) -> _Guess:
    """Return the likeliest key of a length; `fixed`: known shifts, -1 where unknown."""
    likelihoods = _columns(letters, places, length) @ language.shifted()
    shifts = likelihoods.argmax(axis=1)
    if fixed is not None:
        shifts = np.where(fixed >= 0, fixed, shifts)
    score = likelihoods[np.arange(length), shifts].sum() - length * math.log(N)
    return _Guess(shifts, float(score))


def _best(guesses: Iterator[_Guess] | Sequence[_Guess]) -> NDArray[np.int64]:
    found = max(guesses, key=lambda guess: guess.score, default=None)
    return np.zeros(1, dtype=np.int64) if found is None else found.shifts


def _agreeing(
    residues: NDArray[np.int64], shown: NDArray[np.int64], length: int
) -> NDArray[np.int64] | None:
    """Return the shift of each position of the key, -1 where unknown; `None` if two differ."""
    fixed = np.full(length, -1, dtype=np.int64)
    fixed[residues] = shown
    return fixed if (fixed[residues] == shown).all() else None


def _places_of(crib: str, ciphertext: str) -> Iterator[int]:
    """Yield the places at which the crib's spaces, digits and punctuation fit."""
    shape, shapes = _LETTER.sub("a", crib), _LETTER.sub("a", ciphertext)
    start = shapes.find(shape)
    while shape and start >= 0:
        yield start
        start = shapes.find(shape, start + 1)
