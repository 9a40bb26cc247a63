"""A language model of transformers in the server's process, streamed."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Literal

from sage_rag.agents.chat.backends.transformers_chat import TransformersChatModel
from sage_rag.agents.chat.protocols import ChatMessage, Reply, UnusableReplyError
from sage_rag.common.exceptions import UpstreamError
from sage_rag.rag_server.answering.budget import ANSWER_TOKENS
from sage_rag.rag_server.answering.protocols import ConversationTurn, Piece
from sage_rag.rag_server.completions import CompletionUsage

_ROLES: Mapping[str, Literal["system", "assistant"]] = {
    "system": "system",
    "assistant": "assistant",
}


class TransformersChatStream:
    """Stream greedy answers of one causal language model; questions take turns.

    `model`: a folder, or a name on the hub, which is downloaded once; it loads at once.
    """

    honours: frozenset[str] = frozenset({"max_tokens", "max_completion_tokens"})

    def __init__(self, model: str) -> None:
        self._model = TransformersChatModel(model)

    async def stream(
        self, turns: Sequence[ConversationTurn], options: Mapping[str, Any]
    ) -> AsyncGenerator[Piece, None]:
        """Yield the model's answer in pieces, then its finish reason and token counts."""
        most = options.get("max_completion_tokens") or options.get("max_tokens") or ANSWER_TOKENS
        try:
            async with aclosing(self._model.stream(_messages(turns), max_tokens=most)) as pieces:
                async for piece in pieces:
                    yield _end(piece) if isinstance(piece, Reply) else Piece(piece)
        except UnusableReplyError as error:
            raise UpstreamError(f"the chat model wrote no answer: {error.message}") from None

    async def context_tokens(self) -> int:
        """Return how many tokens the model reads and writes at most."""
        return self._model.context_tokens

    async def count_tokens(self, turns: Sequence[ConversationTurn]) -> int:
        """Return the tokens of a prompt."""
        return await self._model.count_tokens(_messages(turns))

    async def check(self) -> None:
        """Return: the model is loaded."""

    async def close(self) -> None:
        """Do nothing: the model ends with the process."""


def _messages(turns: Sequence[ConversationTurn]) -> list[ChatMessage]:
    return [ChatMessage(_ROLES.get(turn.role, "user"), turn.text) for turn in turns]


def _end(reply: Reply) -> Piece:
    usage = CompletionUsage(reply.usage.prompt_tokens, reply.usage.completion_tokens)
    return Piece("", "stop" if reply.finished else "length", usage)
