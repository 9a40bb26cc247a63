"""A lexical index (BM25) in which a ciphertext token is one exact word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import snowballstemmer

from privacy.exceptions import InputError
from privacy.tokens import TOKEN

_WORD = re.compile(rf"{TOKEN.pattern}|[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
_STEMMER = snowballstemmer.stemmer("english")
_STOP = frozenset(
    "a about after all am an and any are as at be been but by can could did do does for from had "
    "has have he her his how i if in is it its just me my no not of on or our she should so that "
    "the their them then there these they this to too up was we were what when which who will "
    "with would you your".split()
)
"""Function words of English; BM25 would weigh them near zero at the price of long postings."""


def lexical_words(text: str) -> list[str]:
    """Return the index words of a text: tokens as they are, stems, single Han characters."""
    found: list[str] = []
    for match in _WORD.finditer(text):
        word = match.group()
        if match.group(1):
            found.append(word)
        elif (folded := word.casefold()) not in _STOP:
            found.append(_stem(folded))
    return found


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word))


class LexicalIndex:
    """BM25 over the words of passages, memory-mapped.

    Source: Lù (2024), "BM25S", arXiv 2407.03618.
    """

    def __init__(self, scorer: Any) -> None:
        self._scorer = scorer

    @staticmethod
    def write(texts: Sequence[str], folder: Path) -> None:
        """Index texts; row i is passage i."""
        scorer = bm25s.BM25()
        words = [lexical_words(text) for text in texts]
        if not any(words):
            words[0] = ["\x00"]  # bm25s cannot index an empty vocabulary; matches no query
        scorer.index(words, show_progress=False)
        scorer.save(str(folder))

    @classmethod
    def open(cls, folder: Path) -> LexicalIndex:
        """Open an index written by `write`.

        Raises:
            InputError: when the folder does not hold one.
        """
        try:
            return cls(bm25s.BM25.load(str(folder), mmap=True))
        except (OSError, ValueError, KeyError):
            raise InputError(
                f"`{folder}` is not a lexical index", hint="index the corpus again"
            ) from None

    def search(self, text: str, top_k: int) -> list[tuple[int, float]]:
        """Return up to `top_k` pairs of row and BM25 score over 0, best first, ties by row."""
        vocabulary = self._scorer.vocab_dict
        known = [word for word in lexical_words(text) if word in vocabulary]
        if not known or top_k < 1:
            return []
        scores = np.asarray(self._scorer.get_scores(known))
        order = np.lexsort((np.arange(len(scores)), -scores))[:top_k]
        return [(int(row), float(scores[row])) for row in order if scores[row] > 0]
