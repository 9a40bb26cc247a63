"""A lexical index: BM25 over words, and exact marks: ciphertext tokens and blind words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import snowballstemmer
from numpy.typing import NDArray

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.blind_index import BLIND_WORD, SIGN
from sage_rag.privacy.tokens import TOKEN

_MARK = re.compile(rf"{TOKEN.pattern}|{BLIND_WORD.pattern}")
_WORD = re.compile(rf"(?P<mark>{_MARK.pattern})|[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
_STEMMER = snowballstemmer.stemmer("english")
_STOP = frozenset(
    "a about after all am an and any are as at be been but by can could did do does for from had "
    "has have he her his how i if in is it its just me my no not of on or our she should so that "
    "the their them then there these they this to too up was we were what when which who will "
    "with would you your".split()
)
"""Function words of English; BM25 would weigh them near zero at the price of long postings."""


def searchable(text: str, words: Iterable[str]) -> str:
    """Return what the index reads of a text and its blind words.

    Guarantees: only `words` count as blind words, whatever the text imitates.
    """
    return " ".join([text.replace(SIGN, " "), *words])


def lexical_words(text: str) -> list[str]:
    """Return the index words of a text: marks as they are, stems, single Han characters."""
    found: list[str] = []
    for match in _WORD.finditer(text):
        word = match.group()
        if match["mark"]:
            found.append(word)
        elif (folded := word.casefold()) not in _STOP:
            found.append(_stem(folded))
    return found


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word))


class LexicalIndex:
    """BM25 over the words of passages, memory-mapped.

    A mark in a query counts by its rarity alone: a record is about somebody or it is not, however
    long it is and however often it says so. Since every record with a value's token also has the
    words of its parts, a record of the value asked for thus always outranks one that shares parts.

    Source: Lù (2024), "BM25S", arXiv 2407.03618; rarity: inverse document frequency as there.
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
        """Return up to `top_k` pairs of row and score over 0, best first, ties by row."""
        vocabulary = self._scorer.vocab_dict
        known = [word for word in lexical_words(text) if word in vocabulary]
        if not known or top_k < 1:
            return []
        marks = {word for word in known if _MARK.fullmatch(word)}
        words = [word for word in known if word not in marks]
        scores = np.array(self._scorer.get_scores(words)) if words else self._zeros()
        for mark in sorted(marks):
            rows = self._rows(vocabulary[mark])
            scores[rows] += _rarity(len(rows), len(scores))
        order = np.lexsort((np.arange(len(scores)), -scores))[:top_k]
        return [(int(row), float(scores[row])) for row in order if scores[row] > 0]

    def _rows(self, word: int) -> NDArray[np.int64]:
        """Return the rows that hold a word, by its number in the vocabulary."""
        postings = self._scorer.scores
        start, end = postings["indptr"][word], postings["indptr"][word + 1]
        return np.asarray(postings["indices"][start:end], dtype=np.int64)

    def _zeros(self) -> NDArray[np.float32]:
        return np.zeros(self._scorer.scores["num_docs"], dtype=np.float32)


def _rarity(holders: int, passages: int) -> float:
    return math.log(1 + (passages - holders + 0.5) / (holders + 0.5))
