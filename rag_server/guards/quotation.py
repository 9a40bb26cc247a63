"""Withhold the rest of an answer that repeats a long run of a passage."""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sage_rag.indexer.passages import Passage
from sage_rag.privacy.tokens import MAX_PAYLOAD, TOKEN
from sage_rag.privacy.words import UNSPACED
from sage_rag.rag_server.answering.protocols import AnswerContext, Answerer, Compose, Piece
from sage_rag.rag_server.chat_request import TOOLS

MOST_WORDS = 60
"""Words of a passage in a row that an answer may repeat: more than an answer without a model
quotes, which has 56 words and their warnings."""
_BETWEEN = 3
"""Words that a run may have between two of its own."""
_GLUED = 30
"""Letters of a word from which it is read letter by letter: it may be many words without spaces."""
WITHHELD = "\n[The rest is withheld: it repeats a document at length.]"
_LONGEST = MAX_PAYLOAD + 200
"""The longest text without a place to cut, in characters: more than any token has."""
_WORD = re.compile(rf"{TOKEN.pattern}|[{UNSPACED}]|[^\W_{UNSPACED}]+")
"""A word; an underscore joins no two, or a copy could have them for spaces."""
_UNSEEN = re.compile("[\u00ad\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
"""Characters that a word may have in it unseen: soft hyphens, marks of direction and the like."""
_CUT = re.compile(
    r"\s|(?=[\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff])"
)
"""A place where a text can be cut and still has the same words: after white space, and before a
Han character or kana, which never joins with the character before it."""


class QuotationGuard:
    """Passes a text on in whole words until it repeats too long a run of a passage.

    Runs are of equal letters and digits, counted in the words of the passage that they hold;
    compatible spellings (NFKC), case, spaces or none, punctuation, underscores and characters that
    are not seen make no difference, nor do up to three words between two of a run: a citation after
    each sentence. In scripts without spaces every character is a word.

    Guarantees: what was passed on has no run of more than `most_words` words of one passage. At
    most one word of a few thousand characters is held back; a longer one is withheld.
    Does not guarantee: anything about a text that changes, translates or encodes what it
    repeats, or about several answers together; the budgets of API keys bound these.
    """

    def __init__(self, passages: Sequence[Passage], most_words: int = MOST_WORDS) -> None:
        # No run goes on from one passage to the next: no word has a space.
        words = [word for passage in passages for word in (*_words(passage.text), " ")]
        self._letters = "".join(words)
        lengths = np.asarray([len(word) for word in words], dtype=np.int64)
        ends, places = np.cumsum(lengths), np.arange(len(self._letters) + 1)
        self._ended = np.searchsorted(ends, places, side="right")
        """The number of words that end at each place, or before it."""
        self._begun = np.searchsorted(ends - lengths, places, side="left")
        """The number of words that begin before each place."""
        self._ends: dict[str, NDArray[np.int64]] = {}
        """The places where each word of the answer ends."""
        self._most = most_words
        self._no_runs = np.zeros(len(places), dtype=np.int64)
        self._runs = deque([self._no_runs] * (1 + _BETWEEN), maxlen=1 + _BETWEEN)
        """Lengths in letters of the runs that end with each of the last words, by place. An array,
        since a word may have thousands of places."""
        self._held = ""
        self.tripped = False

    def feed(self, text: str) -> str:
        """Accept the next piece; return the text that may be shown."""
        shown: list[str] = []
        begin = 0
        for cut in _CUT.finditer(text):
            shown.append(self._passed(self._held + text[begin : cut.end()]))
            self._held, begin = "", cut.end()
            if self.tripped:
                return "".join(shown)
        self._held += text[begin:]
        self.tripped = self.tripped or len(self._held) > _LONGEST
        return "".join(shown)

    def flush(self) -> str:
        """End the text: return what was held back, if it may be shown."""
        held, self._held = self._held, ""
        return self._passed(held)

    def _passed(self, text: str) -> str:
        """Return a text between two cuts, or nothing where it makes a run too long."""
        self.tripped = self.tripped or len(text.rstrip()) > _LONGEST or not self._allows(text)
        return "" if self.tripped else text

    def _allows(self, text: str) -> bool:
        """Continue the runs with the words of a text; return whether none is too long."""
        for word in _words(text):
            before = [*self._runs]
            if not all(self._goes_on(part) for part in _parts(word)):
                return False
            # Its letters together are one word: a long one between two of a run ends no run.
            self._runs.extend([*before, self._runs[-1]])
        return True

    def _goes_on(self, word: str) -> bool:
        """Continue the runs with a word; return whether none is too long."""
        if (ends := self._ends.get(word)) is None:
            ends = self._ends[word] = np.asarray(_ends_in(self._letters, word), dtype=np.int64)
        if not len(ends):
            self._runs.append(self._no_runs)
            return True
        starts = ends - len(word)
        found = len(word) + np.max([before[starts] for before in self._runs], axis=0)
        runs = np.zeros_like(self._no_runs)
        runs[ends] = found
        self._runs.append(runs)
        return bool((self._ended[ends] - self._begun[ends - found]).max() <= self._most)


def excerpt(passage: Passage, most_words: int = MOST_WORDS) -> Passage:
    """Return a passage with the beginning of its text that an answer may repeat."""
    text, end, words = passage.text, 0, 0
    for cut in [*(cut.end() for cut in _CUT.finditer(text)), len(text)]:
        words += len(_words(text[end:cut]))
        if words > most_words or len(text[end:cut].rstrip()) > _LONGEST:
            return replace(passage, fields={"text": f"{text[:end].rstrip()} …"})
        end = cut
    return passage


class GuardedAnswerer:
    """Wraps an answerer: an answer that repeats a document at length ends there."""

    def __init__(self, answerer: Answerer, most_words: int = MOST_WORDS) -> None:
        self._answerer = answerer
        self._most_words = most_words

    @property
    def name(self) -> str:
        """The name of the wrapped answerer."""
        return self._answerer.name

    @property
    def honours(self) -> frozenset[str]:
        """The options of the wrapped answerer but tools: their arguments could repeat documents."""
        return self._answerer.honours - TOOLS

    @property
    def compose(self) -> Compose | None:
        """That of the wrapped answerer."""
        return self._answerer.compose

    async def answer(self, conversation: AnswerContext) -> AsyncGenerator[Piece, None]:
        """Yield the answer; finish reason `content_filter` where the rest is withheld."""
        guard = QuotationGuard(conversation.passages, self._most_words)
        async with aclosing(self._answerer.answer(conversation)) as pieces:
            async for piece in pieces:
                ends = piece.finish_reason is not None
                text = guard.feed(piece.text) + (guard.flush() if ends else "")
                if guard.tripped:
                    break
                yield Piece(text, piece.finish_reason, piece.usage)
            else:
                text = guard.flush()
                if not guard.tripped:
                    yield Piece(text)
                    return
        yield Piece(text + WITHHELD, "content_filter")

    async def check(self) -> None:
        """Check the wrapped answerer."""
        await self._answerer.check()

    async def close(self) -> None:
        """Close the wrapped answerer."""
        await self._answerer.close()


def _parts(word: str) -> Sequence[str]:
    """Return a word, or its letters where it may be many words without spaces; a token has `_[`."""
    return word if len(word) >= _GLUED and "_[" not in word else (word,)


def _ends_in(letters: str, word: str) -> list[int]:
    """Return the places where a word ends in a text."""
    found, start = [], letters.find(word)
    while start >= 0:
        found.append(start + len(word))
        start = letters.find(word, start + 1)
    return found


def _words(text: str) -> list[str]:
    normal = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    return [match.group().casefold() for match in _WORD.finditer(normal)]
