"""Answers without a chat model: sentences of the passages."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator

from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering.protocols import AnswerContext, Compose, Piece

_WORD = re.compile(r"\s*\S+\s*")


class OfflineAnswerer:
    """Stream a composed answer word by word, as clients expect; or give it whole."""

    name = "extractive"
    honours: frozenset[str] = frozenset()

    def __init__(self, compose: Compose) -> None:
        self.compose = compose

    async def answer(self, conversation: AnswerContext) -> AsyncGenerator[Piece, None]:
        """Yield the composed answer; sampling options and history have no effect."""
        text = conversation.composed or ""
        for piece in _WORD.findall(text) if conversation.streams else [text]:
            yield Piece(piece)

    async def check(self) -> None:
        """Compose once, so that a broken installation is not reported as ready."""
        sample = Passage("check", "check", {"text": "The clinic opens at nine."})
        question = AnswerContext("When does the clinic open?", [sample])
        await asyncio.to_thread(self.compose, question)

    async def close(self) -> None:
        """Nothing to release."""
