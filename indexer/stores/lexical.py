"""A lexical index: BM25 over words, and exact matches of ciphertext tokens and blind words."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sage_rag.common.exceptions import InputError
from sage_rag.common.stems import stem
from sage_rag.indexer.stores.vocabulary import index_words, write_index_words
from sage_rag.privacy.blind_index import BLIND_WORD, SIGN
from sage_rag.privacy.tokens import TOKEN, may_have_token

_MARK = re.compile(rf"{TOKEN.pattern}|{BLIND_WORD.pattern}")
_PLAIN_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
_WORD = re.compile(rf"(?P<mark>{_MARK.pattern})|{_PLAIN_WORD.pattern}")
_STOP = frozenset(
    "a about after all am an and any are as at be been but by can could did do does for from had "
    "has have he her his how i if in is it its just me my no not of on or our she should so that "
    "the their them then there these they this to too up was we were what when which who will "
    "with would you your".split()
)
"""Function words of English: their weight in BM25 is near zero, and their postings are long."""


def searchable(text: str, words: Iterable[str]) -> str:
    """Return the input of the index for a text and its blind words.

    Guarantees: only `words` count as blind words; the text cannot imitate one.
    """
    return " ".join([text.replace(SIGN, " "), *words])


def lexical_words(text: str) -> list[str]:
    """Return the index words of a text: unchanged marks, stems, single Han characters."""
    if not may_have_token(text) and SIGN not in text:
        folded_words = map(str.casefold, _PLAIN_WORD.findall(text))
        return [stem(word) for word in folded_words if word not in _STOP]
    found: list[str] = []
    for match in _WORD.finditer(text):
        word = match.group()
        if match["mark"]:
            found.append(word)
        elif (folded := word.casefold()) not in _STOP:
            found.append(stem(folded))
    return found


class LexicalIndex:
    """BM25 over the words of passages, memory-mapped.

    A mark (token or blind word) in a query scores by its rarity alone: the length of a record and
    the number of mentions do not decide whom it is about. Every record with the token of a value
    also has the blind words of its parts, so a record of the value in the query always outranks a
    record that shares only parts.

    Source: Lù (2024), "BM25S", arXiv 2407.03618; rarity: inverse document frequency as there.
    """

    def __init__(self, scorer: Any) -> None:
        # As plain arrays: an access to an array of class `memmap` takes several times as long.
        arrays = scorer.scores.items()
        scorer.scores = {k: np.asarray(v) if isinstance(v, np.memmap) else v for k, v in arrays}
        self._scorer = scorer

    @staticmethod
    def write(texts: Sequence[str], folder: Path) -> None:
        """Index texts; row i is passage i, and words are numbered in their own order."""
        scorer = _bm25s().BM25()
        found = [lexical_words(text) for text in texts]
        if not any(found):
            found[0] = ["\x00"]  # bm25s cannot index an empty vocabulary; matches no query
        numbers = {word: number for number, word in enumerate(sorted(set(chain(*found))))}
        rows = [[numbers[word] for word in words] for words in found]
        scorer.index((rows, numbers), show_progress=False)
        scorer.save(str(folder))
        write_index_words(folder, index_words(folder))

    @classmethod
    def open(cls, folder: Path) -> LexicalIndex:
        """Open an index written by `write`.

        Raises:
            InputError: when the folder does not hold one.
        """
        try:
            return cls(_bm25s().BM25.load(str(folder), mmap=True))
        except (OSError, ValueError, KeyError):
            raise InputError(
                f"`{folder}` is not a lexical index", hint="index the corpus again"
            ) from None

    def search(
        self,
        text: str,
        top_k: int,
        rows: NDArray[np.int64] | None = None,
        groups: Sequence[Sequence[str]] = (),
    ) -> list[tuple[int, float]]:
        """Return up to `top_k` pairs of row and score over 0, best first, ties by row.

        `rows`: `(m,)` int64, ascending, the only rows to search; the scores stay the same.
        `groups`: tokens whose values share a word. Each group counts as this word would: by its
        rarity, and by how often a row has its tokens.
        """
        vocabulary = self._scorer.vocab_dict
        known = [word for word in lexical_words(text) if word in vocabulary]
        if not (known or groups) or top_k < 1:
            return []
        marks = {word for word in known if _MARK.fullmatch(word)}
        words = [word for word in known if word not in marks]
        scores = np.array(self._scorer.get_scores(words)) if words else self._zeros()
        for mark in sorted(marks):
            holders = self._rows(vocabulary[mark])
            scores[holders] += _rarity(len(holders), len(scores))
        for group in groups:
            scores += self._group_scores([token for token in set(group) if token in vocabulary])
        searched = np.arange(len(scores)) if rows is None else rows
        return [(row, float(scores[row])) for row in _best(scores, searched, top_k).tolist()]

    def _group_scores(self, tokens: Sequence[str]) -> NDArray[np.float32]:
        """Return the score of each row for tokens that count as one word: `(n,)`.

        The frequencies of the tokens, each saturated as in BM25, are added up to 1.
        """
        postings = self._scorer.scores
        frequency = self._zeros()
        for token in sorted(tokens):
            number = self._scorer.vocab_dict[token]
            start, end = postings["indptr"][number], postings["indptr"][number + 1]
            found = np.asarray(postings["indices"][start:end], dtype=np.int64)
            frequency[found] += postings["data"][start:end] / _rarity(len(found), len(frequency))
        holders = int(np.count_nonzero(frequency))
        return np.minimum(frequency, 1.0) * np.float32(_rarity(holders, len(frequency)))

    def rows_with(self, marks: Iterable[str]) -> NDArray[np.int64]:
        """Return the rows with at least one of some tokens or blind words: `(m,)`, ascending."""
        vocabulary = self._scorer.vocab_dict
        known = (m for m in marks if _MARK.fullmatch(m) and m in vocabulary)
        holders = [self._rows(vocabulary[mark]) for mark in known]
        return np.unique(np.concatenate(holders)) if holders else np.zeros(0, dtype=np.int64)

    def holders(self, words: Iterable[str]) -> dict[str, int]:
        """Return the number of rows that contain each index word; 0 for an unknown one."""
        vocabulary = self._scorer.vocab_dict
        return {w: len(self._rows(vocabulary[w])) if w in vocabulary else 0 for w in words}

    def _rows(self, word: int) -> NDArray[np.int64]:
        """Return the rows with a word, by the number of the word in the vocabulary."""
        postings = self._scorer.scores
        start, end = postings["indptr"][word], postings["indptr"][word + 1]
        return np.asarray(postings["indices"][start:end], dtype=np.int64)

    def _zeros(self) -> NDArray[np.float32]:
        return np.zeros(self._scorer.scores["num_docs"], dtype=np.float32)


def _best(scores: NDArray[np.float32], rows: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return the rows of the highest scores over 0, best first, ties by row: `(m,)`."""
    rows = rows[scores[rows] > 0]
    if len(rows) > most:  # most rows are not among the best, and are not sorted
        least = -np.partition(-scores[rows], most - 1)[most - 1]
        rows = rows[scores[rows] >= least]
    return rows[np.lexsort((rows, -scores[rows]))[:most]]


def _rarity(holders: int, passages: int) -> float:
    """Return the inverse document frequency of a mark."""
    return math.log(1 + (passages - holders + 0.5) / (holders + 0.5))


def _bm25s() -> Any:
    # It starts JAX where that is installed, which would take three quarters of a GPU's memory.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import bm25s

    return bm25s
