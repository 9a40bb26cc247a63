"""Withhold the rest of an answer that repeats a long run of a passage."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from sage_rag.indexer.passages import Passage
from sage_rag.privacy.tokens import TOKEN
from sage_rag.rag_server.answering.protocols import AnswerContext, Answerer, Compose, Piece
from sage_rag.rag_server.chat_request import TOOLS

MOST_WORDS = 60
"""Words of a passage in a row that an answer may repeat: more than an answer without a model
quotes, which has 56 words and their warnings."""
_BETWEEN = 3
"""Words that a run may have between two of its own."""
WITHHELD = "\n[The rest is withheld: it repeats a document at length.]"
_WORD = re.compile(rf"{TOKEN.pattern}|\w+")
_WORDS = re.compile(r"\s*\S+\s")


class QuotationGuard:
    """Passes a text on in whole words until it repeats too long a run of a passage.

    Runs are of equal words; case, spaces and punctuation make no difference, nor do up to three
    words between two of them: a citation after each sentence.

    Guarantees: what was passed on has no run of more than `most_words` words of one passage.
    Does not guarantee: anything about a text that changes, translates or spells out what it
    repeats, or about several answers together; the budgets of API keys bound these.
    """

    def __init__(self, passages: Sequence[Passage], most_words: int = MOST_WORDS) -> None:
        self._passages = [_words(passage.text) for passage in passages]
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, words in enumerate(self._passages):
            for place, word in enumerate(words):
                self._places[word].append((number, place))
        self._most = most_words
        self._runs: deque[dict[tuple[int, int], int]] = deque(maxlen=1 + _BETWEEN)
        """Lengths of the runs that end with each of the last words, by passage and place."""
        self._held = ""
        self.tripped = False

    def feed(self, text: str) -> str:
        """Accept the next piece; return the text that may be shown."""
        if self.tripped:
            return ""
        self._held += text
        shown: list[str] = []
        for match in _WORDS.finditer(self._held):
            if not self._allows(match.group()):
                self.tripped = True
                return "".join(shown)
            shown.append(match.group())
        self._held = self._held[sum(map(len, shown)) :]
        return "".join(shown)

    def flush(self) -> str:
        """End the text: return what was held back, if it may be shown."""
        held, self._held = self._held, ""
        if self.tripped or not self._allows(held):
            self.tripped = True
            return ""
        return held

    def _allows(self, text: str) -> bool:
        """Continue the runs with the words of a text; return whether none is too long."""
        for word in _words(text):
            runs = {at: 1 + self._longest_before(at) for at in self._places.get(word, ())}
            self._runs.append(runs)
            if max(runs.values(), default=0) > self._most:
                return False
        return True

    def _longest_before(self, at: tuple[int, int]) -> int:
        before = (at[0], at[1] - 1)
        return max((runs.get(before, 0) for runs in self._runs), default=0)


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
    return [match.group().casefold() for match in _WORD.finditer(text)]
