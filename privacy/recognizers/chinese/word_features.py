"""The features of each character for the Chinese tagger: its kind, and the words around it.

Words may overlap: a character gets the marks of every possible word there, and the network decides
between them.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sage_rag.privacy.recognizers.chinese.words import (
    COMMON_SURNAMES,
    GIVEN,
    NOT_GIVEN,
    SURNAMES,
    TRANSLITERATION,
)

WORDS = Path(__file__).parent / "weights" / "chinese_words.txt.gz"
KINDS = ("place", "person", "body", "common", "role", "surname")
_LONGEST = 8
_ENDINGS = frozenset("省市县区镇乡村路街道巷弄桥站山河湖江海岛湾国州城港园苑楼厦场馆店寺")
_ORGANIZATION_ENDINGS = frozenset("行司社团院校局部会厂所队厅委署府报台网组党军")
_SETS = (
    frozenset(SURNAMES),
    COMMON_SURNAMES,
    GIVEN,
    TRANSLITERATION,
    NOT_GIVEN,
    _ENDINGS,
    _ORGANIZATION_ENDINGS,
)
_OF_CHARACTER = len(_SETS) + 4
FEATURES = _OF_CHARACTER + 3 * len(KINDS)
"""Columns of `features_of`."""

Words = Mapping[str, int]
"""A bit per kind of each word."""


@lru_cache(maxsize=2)
def load_words(path: Path) -> Words:
    """Return the words of a file, a line for each kind."""
    found: dict[str, int] = {}
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        kind, *words = line.split()
        for word in words:
            found[word] = found.get(word, 0) | 1 << KINDS.index(kind)
    return found


def features_of(
    text: str, words: Words, keep: Callable[[], bool] | None = None
) -> NDArray[np.float32]:
    """Return 0 or 1 per character and feature: (characters, FEATURES).

    `keep` decides for each word whether it is marked: training drops some, so that the network
    does not depend on them.
    """
    found = np.zeros((len(text), FEATURES), dtype=np.float32)
    for position, character in enumerate(text):
        found[position, :_OF_CHARACTER] = _of_character(character)
    for start in range(len(text) - 1):
        left = (1 << len(KINDS)) - 1
        for length in range(min(_LONGEST, len(text) - start), 1, -1):
            bits = words.get(text[start : start + length], 0) & left
            if bits and (keep is None or keep()):
                left &= ~bits
                _mark(found, start, start + length, bits)
    return found


@lru_cache(maxsize=30_000)
def _of_character(character: str) -> tuple[float, ...]:
    shape = (
        character.isdecimal(),
        character.isascii() and character.isalpha(),
        not character.isalnum(),
        character in "·•・‧《》（）()“”",
    )
    return (*(float(character in members) for members in _SETS), *map(float, shape))


def _mark(found: NDArray[np.float32], start: int, end: int, bits: int) -> None:
    for kind in range(len(KINDS)):
        if bits >> kind & 1:
            column = _OF_CHARACTER + 3 * kind
            found[start, column] = 1
            found[start + 1 : end - 1, column + 1] = 1
            found[end - 1, column + 2] = 1
