"""Answers written by a chat model behind any OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from sage_rag.rag_server.answering.aliases import Aliases
from sage_rag.rag_server.answering.prompt import build_prompt
from sage_rag.rag_server.answering.protocols import AnswerContext, ChatStream, Piece


class ChatAnswerer:
    """Ask a chat model to answer from the passages; it reads and writes aliases only."""

    name = "chat"

    def __init__(self, model: ChatStream) -> None:
        self._model = model

    async def answer(self, conversation: AnswerContext) -> AsyncGenerator[Piece, None]:
        """Yield the model's answer with aliases expanded to ciphertext tokens again."""
        aliases = Aliases()
        turns = build_prompt(conversation, aliases)
        expander = aliases.expander()
        async with aclosing(self._model.stream(turns, conversation.options)) as pieces:
            async for piece in pieces:
                yield Piece(expander.feed(piece.text), piece.finish_reason, piece.usage)
        yield Piece(expander.flush())

    async def check(self) -> None:
        """Return if the model's endpoint answers."""
        await self._model.check()

    async def close(self) -> None:
        """Release connections."""
        await self._model.close()
