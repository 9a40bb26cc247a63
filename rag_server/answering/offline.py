"""Answers without a chat model: sentences of the passages."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable

from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering.protocols import AnswerContext, Piece

_WORD = re.compile(r"\s*\S+\s*")


Compose = Callable[[AnswerContext], str]
"""Returns an answer with `[n]` citations."""
Run = Callable[[Compose, AnswerContext], Awaitable[str]]
"""Runs a composition in a thread."""


class OfflineAnswerer:
    """Compose an answer in a thread, and stream it word by word as clients expect."""

    name = "extractive"
    honours: frozenset[str] = frozenset()

    def __init__(self, compose: Compose, run: Run = asyncio.to_thread) -> None:
        """`run` runs a blocking function in a thread; a server bounds how many run or wait."""
        self._compose = compose
        self._run = run

    async def answer(self, conversation: AnswerContext) -> AsyncGenerator[Piece, None]:
        """Yield the composed answer; sampling options and history have no effect."""
        answer = await self._run(self._compose, conversation)
        for word in _WORD.findall(answer):
            yield Piece(word)

    async def check(self) -> None:
        """Compose once, so that a broken installation is not reported as ready."""
        sample = Passage("check", "check", {"text": "The clinic opens at nine."})
        question = AnswerContext("When does the clinic open?", [sample])
        await asyncio.to_thread(self._compose, question)

    async def close(self) -> None:
        """Nothing to release."""
