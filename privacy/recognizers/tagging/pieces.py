"""Convert text to the tagger's input: word pieces, their offsets, and features that MiniLM lacks.

The encoder's vocabulary has no case, which shows names. So every piece has four features: the shape
of its word, its kinds in the lexicon, what precedes it, and the case of the whole text (in a text
without capitals, small letters carry no information).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from sage_rag.common.unicode_text import well_formed
from sage_rag.privacy.recognizers.chinese.recognizer import HAN
from sage_rag.privacy.recognizers.lexicon import Kind, default_lexicon, fold

SHAPES = 10
KINDS = 64
GAPS = 4
CASES = 4
FEATURES = (SHAPES, KINDS, GAPS, CASES)
"""The number of values of each feature, in the order of the columns of `Pieces.features`."""

_WORD = re.compile(rf"{HAN.pattern}+|[^\W{HAN.pattern[1:-1]}]+")
"""Chinese is written without spaces: a number or a Latin name in it is a word of its own."""
_KIND_BITS = {kind: 1 << bit for bit, kind in enumerate("GSPCDW")}
_FEW_LETTERS = 3
_NOT_A_WORD = (7, 0)
_CAPITALISED, _MIXED_CASE = 2, 3


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text's word pieces.

    `ids` (n,) int64; `features` (n, 4) int64, each column below its entry of `FEATURES`;
    `offsets`: the code points `[start, end)` of each piece; `words`: for each piece, the number
    of its word (a run of letters, digits and `_`, or one of Chinese characters), counted up at
    every piece outside of words.
    """

    ids: NDArray[np.int64]
    features: NDArray[np.int64]
    offsets: list[tuple[int, int]]
    words: list[int]

    def __len__(self) -> int:
        return len(self.offsets)

    @property
    def unlisted(self) -> NDArray[np.bool_]:
        """Return for each piece whether its word is capitalised and not in the lexicon, (n,).

        Only in a text of mixed case: otherwise case carries no information.
        """
        shape, kinds, _, case = self.features.T
        found: NDArray[np.bool_] = (shape == _CAPITALISED) & (kinds == 0) & (case == _MIXED_CASE)
        return found

    def between(self, start: int, end: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the network's input for the pieces `[start, end)`."""
        return self.ids[start:end], self.features[start:end]


def pieces_of(text: str, tokenizer: Tokenizer) -> Pieces:
    """Split a text into pieces. Lone surrogates count as U+FFFD; control characters are dropped."""
    text = well_formed(text)
    encoding = tokenizer.encode(text, add_special_tokens=False)
    spans = [match.span() for match in _WORD.finditer(text)]
    starts = [start for start, _ in spans]
    case = _case(text)
    features = np.empty((len(encoding.ids), len(FEATURES)), dtype=np.int64)
    words: list[int] = []
    number, previous = -1, -1
    for i, (start, _) in enumerate(encoding.offsets):
        word = bisect_right(starts, start) - 1
        inside = word >= 0 and start < spans[word][1]
        shape, kinds = _of_word(text[slice(*spans[word])]) if inside else _NOT_A_WORD
        first = not inside or word != previous
        gap = _gap(text, spans[word][0] if inside else start) if first else 0
        features[i] = (shape, kinds, gap, case)
        number += first
        words.append(number)
        previous = word if inside else -1
    return Pieces(np.array(encoding.ids, dtype=np.int64), features, encoding.offsets, words)


def _gap(text: str, start: int) -> int:
    """Return what precedes a word: a space (1), a line break or the start (2), a sign (3)."""
    before = text[start - 1] if start else "\n"
    return 1 if before == " " else 2 if before.isspace() else 3


def _case(text: str) -> int:
    """Return 0 for too few letters, 1 for no capitals, 2 for mostly capitals, 3 for mixed case."""
    upper, lower = sum(map(str.isupper, text)), sum(map(str.islower, text))
    if upper + lower < _FEW_LETTERS:
        return 0
    if not upper:
        return 1
    return 2 if upper > lower else _MIXED_CASE


@lru_cache(maxsize=65_536)
def _of_word(word: str) -> tuple[int, int]:
    return _shape(word), _kinds(word)


def _shape(word: str) -> int:
    if not word.isalpha():
        return 5 if word.isdigit() else 6 if any(map(str.isdigit, word)) else 7
    if word.islower():
        return 1
    if word.isupper():
        return 9 if len(word) == 1 else 3
    if word.lower() == word.upper():
        return 8  # a script without case
    return _CAPITALISED if word[0].isupper() and word[1:].islower() else 4


def _kinds(word: str) -> int:
    """Return the lexicon's kinds of a word, inflected ones included, as bits."""
    lexicon, folded = default_lexicon(), fold(word)
    letters = lexicon.kinds_of(folded)
    if not letters and lexicon.is_word(folded):
        letters = Kind.WORD
    return sum(_KIND_BITS[letter] for letter in set(letters))
