"""Withhold the rest of an answer that repeats a long run of a passage."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

import numpy as np

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

    Runs are of equal words; compatible spellings (NFKC), case, spaces, punctuation, underscores and
    characters that are not seen make no difference, nor do up to three words between two of them: a
    citation after each sentence. In scripts without spaces every character is a word.

    Guarantees: what was passed on has no run of more than `most_words` words of one passage. At
    most one word of a few thousand characters is held back; a longer one is withheld.
    Does not guarantee: anything about a text that changes, translates or spells out what it
    repeats, or about several answers together; the budgets of API keys bound these.
    """

    def __init__(self, passages: Sequence[Passage], most_words: int = MOST_WORDS) -> None:
        places: dict[str, list[int]] = defaultdict(list)
        place = 0
        for passage in passages:
            place += 1  # no run goes on from one passage to the next
            for word in _words(passage.text):
                places[word].append(place)
                place += 1
        self._places = {word: np.asarray(found) for word, found in places.items()}
        self._most = most_words
        self._no_runs = np.zeros(place, dtype=np.int64)
        self._runs = deque([self._no_runs] * (1 + _BETWEEN), maxlen=1 + _BETWEEN)
        """Lengths of the runs that end with each of the last words, by place of a passage's word.
        An array, since a word may have thousands of places."""
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
            runs = self._no_runs
            if (places := self._places.get(word)) is not None:
                runs = np.zeros_like(self._no_runs)
                runs[places] = 1 + np.max([before[places - 1] for before in self._runs], axis=0)
            self._runs.append(runs)
            if runs.max(initial=0) > self._most:
                return False
        return True


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


def _words(text: str) -> list[str]:
    normal = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    return [match.group().casefold() for match in _WORD.finditer(normal)]
