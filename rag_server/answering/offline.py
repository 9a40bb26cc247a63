"""Answers without a model: sentences taken from the passages, off the event loop."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering.protocols import AnswerContext, Piece

_WORD = re.compile(r"\s*\S+\s*")


class Composer(Protocol):
    """Composes an answer from passages without waiting for anything."""

    def compose(self, question: str, passages: Sequence[Passage]) -> str:
        """Return an answer with `[n]` citations."""
        ...


class OfflineAnswerer:
    """Stream what a composer writes, word by word, as clients expect of a stream."""

    name = "extractive"

    def __init__(self, composer: Composer) -> None:
        self._composer = composer

    async def answer(self, conversation: AnswerContext) -> AsyncGenerator[Piece, None]:
        """Yield the composed answer; sampling options and history have no meaning here."""
        answer = await asyncio.to_thread(
            self._composer.compose, conversation.question, conversation.passages
        )
        for word in _WORD.findall(answer):
            yield Piece(word)

    async def check(self) -> None:
        """Compose once, so that a broken installation is not called ready."""
        sample = Passage("check", "check", {"text": "The clinic opens at nine."})
        await asyncio.to_thread(self._composer.compose, "When does the clinic open?", [sample])

    async def close(self) -> None:
        """Nothing to release."""
