"""Key recovery: how much ciphertext does an attacker need to read polyalphabetic training text?"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import InputError
from sage_rag.common.proportions import Proportion
from sage_rag.eval.mean import Mean
from sage_rag.eval.model_attacks.key_breaking import (
    Language,
    break_key,
    break_key_with_crib,
    decrypt_letters,
    letter_numbers,
)
from sage_rag.training.ciphers.polyalphabetic import ALPHABET, PolyalphabeticCipher

KEY_LENGTHS = (1, 10, 100)
"""Source: Kobashi et al., Crypto-LLM, §5.1."""
CHARACTERS = (50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000)
CRIBS = (0, 10, 20, 50, 100, 200)
"""Lengths of a known phrase, in characters."""
TRIALS = 20
_WITH_CRIB = 500
"""Characters of ciphertext of an attacker who knows a phrase."""
READ = 0.95
"""Share of the letters from which a person reads the text."""


class RecoveryPoint(BaseModel):
    """The attacks on one key length with one amount of text; each has its own key and passage.

    `crib`: characters of the known phrase; 0 without. `length_found`: attacks that found the length
    of the key. `letters`: mean share deciphered of the letters outside of the known phrase.
    `read`: attacks that deciphered at least 95 % of them.
    """

    model_config = ConfigDict(frozen=True)
    key_length: int
    characters: int
    crib: int
    length_found: Proportion
    letters: Mean | None
    read: Proportion


class KeyRecovery(BaseModel):
    """Curves over the characters of ciphertext, and over those of a known phrase."""

    model_config = ConfigDict(frozen=True)
    by_frequency: tuple[RecoveryPoint, ...]
    by_crib: tuple[RecoveryPoint, ...]

    def characters_needed(self, key_length: int) -> int | None:
        """Return the least amount of ciphertext from which every attack reads the text."""
        points = [p for p in self.by_frequency if p.key_length == key_length]
        failed = [p.characters for p in points if p.read.successes < p.read.trials]
        enough = [p.characters for p in points if p.characters > max(failed, default=0)]
        return min(enough, default=None)


@dataclass(frozen=True, slots=True)
class _Passage:
    """A passage in plain text and encrypted; `known`: where the attacker knows it."""

    plain: str
    ciphertext: str
    known: slice

    def shifts(self, language: Language) -> NDArray[np.int64]:
        """Return the key that the attacker finds."""
        crib = self.plain[self.known]
        if crib:
            return break_key_with_crib(self.ciphertext, crib, language)
        return break_key(self.ciphertext, language)

    def share_read(self, shifts: NDArray[np.int64]) -> float:
        """Return the share of the unknown letters that a key deciphers."""
        letters = letter_numbers(self.plain)
        unknown = letters >= 0
        unknown[self.known] = False
        right = decrypt_letters(self.ciphertext, shifts) == letters
        return float(right[unknown].mean()) if unknown.any() else 0.0


def recover_keys(
    texts: Sequence[str],
    language_texts: Sequence[str],
    seed: int,
    *,
    trials: int = TRIALS,
    key_lengths: Sequence[int] = KEY_LENGTHS,
    characters: Sequence[int] = CHARACTERS,
    cribs: Sequence[int] = CRIBS,
) -> KeyRecovery:
    """Encrypt random passages of texts under random keys, and decipher them without the keys.

    `language_texts`: other texts, from which the attacker knows how frequent each letter is.
    Passages that are longer than every text are left out.

    Raises:
        InputError: when no text has 500 characters.
    """
    if reason := too_short(texts):
        raise InputError(reason)
    longest = max(map(len, texts))
    language = Language.of(language_texts)
    draw = random.Random(f"keys {seed}")  # noqa: S311 - measurements, not secrets
    sizes = [size for size in characters if size <= longest]

    def point(key_length: int, size: int, crib: int) -> RecoveryPoint:
        long = [text for text in texts if len(text) >= size]
        found = [_drawn(long, draw, key_length, size, crib) for _ in range(trials)]
        return _point(found, language, key_length, size, crib)

    return KeyRecovery(
        by_frequency=tuple(point(k, size, 0) for k in key_lengths for size in sizes),
        by_crib=tuple(point(k, _WITH_CRIB, crib) for k in key_lengths for crib in cribs),
    )


def too_short(texts: Sequence[str]) -> str:
    """Return why no key can be recovered from texts, or nothing where one can."""
    longest = max(map(len, texts), default=0)
    if longest >= _WITH_CRIB:
        return ""
    return f"attack `keys` needs a text of {_WITH_CRIB} characters, and the longest has {longest}"


def _drawn(
    texts: Sequence[str], draw: random.Random, key_length: int, size: int, crib: int
) -> _Passage:
    """Draw a passage and a key; the passage is encrypted at its place in its text."""
    text = draw.choice(texts)
    start = draw.randrange(len(text) - size + 1)
    plain = text[start : start + size]
    cipher = PolyalphabeticCipher("".join(draw.choices(ALPHABET, k=key_length)))
    known = draw.randrange(size - crib + 1)
    return _Passage(plain, cipher.encrypt(plain, position=start), slice(known, known + crib))


def _point(
    passages: Sequence[_Passage], language: Language, key_length: int, size: int, crib: int
) -> RecoveryPoint:
    keys = [passage.shifts(language) for passage in passages]
    shares = [passage.share_read(key) for passage, key in zip(passages, keys, strict=True)]
    return RecoveryPoint(
        key_length=key_length,
        characters=size,
        crib=crib,
        length_found=Proportion.of(sum(len(key) == key_length for key in keys), len(keys)),
        letters=Mean.of(shares),
        read=Proportion.of(sum(share >= READ for share in shares), len(shares)),
    )
