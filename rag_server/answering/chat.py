"""Answers by a chat model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from sage_rag.rag_server.answering.aliases import Aliases
from sage_rag.rag_server.answering.prompt import build_prompt
from sage_rag.rag_server.answering.protocols import AnswerContext, ChatStream, Piece
from sage_rag.rag_server.chat_request import SAMPLING


class ChatAnswerer:
    """Answer with a chat model that reads and writes aliases only."""

    name = "chat"
    honours = SAMPLING

    def __init__(self, model: ChatStream) -> None:
        self._model = model

    async def answer(self, conversation: AnswerContext) -> AsyncGenerator[Piece, None]:
        """Yield the model's answer with each alias replaced by its ciphertext token."""
        aliases = Aliases()
        turns = build_prompt(conversation, aliases)
        expander = aliases.expander()
        async with aclosing(self._model.stream(turns, conversation.options)) as pieces:
            async for piece in pieces:
                yield Piece(expander.feed(piece.text), piece.finish_reason, piece.usage)
        yield Piece(expander.flush())

    async def check(self) -> None:
        """Return if the model's endpoint answers; raise `UpstreamError` if not."""
        await self._model.check()

    async def close(self) -> None:
        """Release connections."""
        await self._model.close()
