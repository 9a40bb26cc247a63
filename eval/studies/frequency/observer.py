"""An index of names as an observer without a key sees it, under each cipher."""

from __future__ import annotations

import base64
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sage_rag.eval.studies.frequency.inference import ObservedValue
from sage_rag.privacy.blind_index import BlindIndex, PartWords, index_terms
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.privacy.tokens import TOKEN
from sage_rag.training.ciphers.codebook import CodebookCipher
from sage_rag.training.ciphers.ecb import UnauthenticatedEcbCipher, WeakCipherWarning

_CORPUS = "frequency"
_BLOCK = 16


def _siv(keyset: Keyset) -> EntityCipher:
    return SivCipher(keyset, _CORPUS)


def _ecb(keyset: Keyset) -> EntityCipher:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WeakCipherWarning)  # measuring it is the use it warns of
        return UnauthenticatedEcbCipher(keyset, leaks_equal_blocks=True)


def _codebook(keyset: Keyset) -> EntityCipher:
    return CodebookCipher(Path("no-such-codebook"), keyset, _CORPUS)  # its codes are not kept


CIPHERS: Mapping[str, Callable[[Keyset], EntityCipher]] = {
    "siv": _siv,
    "ecb": _ecb,
    "codebook": _codebook,
}


@dataclass
class ObservedIndex:
    """Names as one cipher shows them under a fresh key, with or without part words.

    `truth` maps each part word to the part of a name; attackers do not have it.
    """

    cipher: str
    parts: PartWords
    truth: dict[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        keyset = Keyset.generate()
        self._cipher = CIPHERS[self.cipher](keyset)
        self._words = BlindIndex(keyset, _CORPUS, self.parts)
        self._seen: dict[str, ObservedValue] = {}

    def value(self, name: str) -> ObservedValue:
        """Return a name as it is seen."""
        if name not in self._seen:
            token = self._cipher.encrypt(name, EntityType.PERSON)
            blocks = _blocks(token) if self.cipher == "ecb" else frozenset()
            # A codebook draws its words at random: their length is unrelated to the value.
            shape = 0 if self.cipher == "codebook" else len(token)
            self._seen[name] = ObservedValue(token, shape, self._part_words(name), blocks)
        return self._seen[name]

    def _part_words(self, name: str) -> frozenset[str]:
        words = self._words.words(name, EntityType.PERSON)[1:]
        self.truth |= zip(words, parts_of(name, self.parts), strict=True)
        return frozenset(words)


def parts_of(name: str, parts: PartWords = PartWords.ALL) -> tuple[str, ...]:
    """Return the parts of a person's name that part words are derived from."""
    return index_terms(name, EntityType.PERSON, parts)[1]


def _blocks(token: str) -> frozenset[str]:
    """Return the blocks of an ECB token; equal blocks hold equal text."""
    match = TOKEN.fullmatch(token)
    raw = base64.b64decode(match.group(2)) if match else b""
    return frozenset(raw[i : i + _BLOCK].hex() for i in range(0, len(raw), _BLOCK))
