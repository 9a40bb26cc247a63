"""Stems of English words, for any number of threads."""

from __future__ import annotations

import threading
from functools import lru_cache

import snowballstemmer

_ENGLISH = snowballstemmer.stemmer("english")
_PORTER = snowballstemmer.stemmer("porter")
_ONE_AT_A_TIME = threading.Lock()
"""A stemmer holds the word that it works on: two threads would get each other's letters."""


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a word in lower case. Source: Porter (2001), "Snowball"."""
    if (folded := word.casefold()) != word:
        return stem(folded)  # one computation for all spellings
    with _ONE_AT_A_TIME:
        return str(_ENGLISH.stemWord(word))


@lru_cache(maxsize=65536)
def porter_stem(word: str) -> str:
    """Return the stem of a word in lower case by the older algorithm. Source: Porter (1980)."""
    with _ONE_AT_A_TIME:
        return str(_PORTER.stemWord(word))
