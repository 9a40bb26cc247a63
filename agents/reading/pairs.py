"""A question and a text as the reader's input: word pieces, and features that MiniLM lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sage_rag.agents.lexicon import lexicon
from sage_rag.common.minilm.base import SEP, base_tokenizer
from sage_rag.common.minilm.model import Row
from sage_rag.common.sentences import sentence_spans
from sage_rag.common.stems import stem
from sage_rag.common.unicode_text import well_formed

FEATURES = (2, 3)
"""The number of values of each feature: a piece of the question or of the text; and whether the
other one has its word: no, yes in the question, yes in the text."""
QUESTION_PIECES = 64
"""Of a longer question, the end is read: that is where a long message asks."""
TEXT_PIECES = 240
"""Of one window of a text."""

_WORD = re.compile(r"\w+")
_NO, _IN_QUESTION, _IN_TEXT = range(3)


@dataclass(frozen=True, slots=True)
class Pair:
    """The network's input for a question and a text.

    `row`: ids and features. `first`: the place of the text's first piece in the network's output.
    `offsets`: the code points of each piece of the text.
    """

    row: Row
    first: int
    offsets: Sequence[tuple[int, int]]

    def __len__(self) -> int:
        return len(self.row[0])

    @property
    def shared(self) -> float:
        """The share of the question's pieces whose word the text has."""
        return float(np.mean(self.row[1][: self.first - 2, 1] == _IN_QUESTION))

    def places(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the places of the first and last piece of a stretch of the text, if it has any."""
        inside = [i for i, (a, b) in enumerate(self.offsets) if a < end and b > start]
        return (self.first + inside[0], self.first + inside[-1]) if inside else None


def pair_of(question: str, text: str) -> Pair:
    """Return the input for a question and a text of one window; a longer text is cut."""
    asked, asked_at = _pieces(question)
    asked, asked_at = asked[-QUESTION_PIECES:], asked_at[-QUESTION_PIECES:]
    read, read_at = _pieces(text)
    read, read_at = read[:TEXT_PIECES], read_at[:TEXT_PIECES]
    words_asked, words_read = _words(question), _words(text)
    shared = {w for _, _, w in words_asked if w} & {w for _, _, w in words_read if w}
    features = [
        *((0, _IN_QUESTION * is_shared) for is_shared in _marked(asked_at, words_asked, shared)),
        (0, _NO),
        *((1, _IN_TEXT * is_shared) for is_shared in _marked(read_at, words_read, shared)),
    ]
    ids = np.array([*asked, SEP, *read], dtype=np.int64)
    return Pair((ids, np.array(features, dtype=np.int64)), len(asked) + 2, read_at)


def windows_of(text: str) -> list[tuple[int, int]]:
    """Return the parts `[start, end)` in which a text is read: whole sentences, as many as fit.

    Consecutive windows share a sentence, so that each is read with the one before it. Of a sentence
    that is longer than a window, the beginning is read.
    """
    spans = sentence_spans(text)
    sizes = [len(_pieces(text[start:end])[0]) for start, end in spans]
    found: list[tuple[int, int]] = []
    first = 0
    while first < len(spans):
        last, size = first, sizes[first]
        while last + 1 < len(spans) and size + sizes[last + 1] <= TEXT_PIECES:
            last += 1
            size += sizes[last]
        found.append((spans[first][0], spans[last][1]))
        if last + 1 == len(spans):
            break
        first = max(last, first + 1)
    return found


def _pieces(text: str) -> tuple[list[int], list[tuple[int, int]]]:
    encoding = base_tokenizer().encode(well_formed(text), add_special_tokens=False)
    return encoding.ids, encoding.offsets


def _words(text: str) -> list[tuple[int, int, str]]:
    """Return each word's place and stem; the stem of a stop word is empty."""
    stop = lexicon().stop_words
    return [
        (m.start(), m.end(), "" if m.group().casefold() in stop else stem(m.group()))
        for m in _WORD.finditer(text)
    ]


def _marked(
    offsets: Sequence[tuple[int, int]], words: Sequence[tuple[int, int, str]], shared: set[str]
) -> Iterator[bool]:
    """Yield for each piece whether it belongs to one of some words."""
    place = 0
    for start, end in offsets:
        while place < len(words) and words[place][1] <= start:
            place += 1
        inside = place < len(words) and words[place][0] < end
        yield inside and words[place][2] in shared
