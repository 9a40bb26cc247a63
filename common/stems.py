"""Stems of English words."""

from __future__ import annotations

from functools import lru_cache

import snowballstemmer

_STEMMER = snowballstemmer.stemmer("english")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a word in lower case. Source: Porter (2001), "Snowball"."""
    return str(_STEMMER.stemWord(word.casefold()))
