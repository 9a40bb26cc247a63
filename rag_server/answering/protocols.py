"""The seams of answering: who writes the answer, and which chat model they may ask."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.completions import CompletionUsage


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """One message of a conversation. `role`: system, user or assistant."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """What an answer is made from.

    `history` holds every other turn, system messages included; `options` are the client's
    sampling options under their API names.
    """

    question: str
    passages: Sequence[Passage]
    history: Sequence[ConversationTurn] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an answer's text; the last ones may tell why it ended and what it cost."""

    text: str = ""
    finish_reason: str | None = None
    usage: CompletionUsage | None = None


class Answerer(Protocol):
    """Answers from passages."""

    @property
    def name(self) -> str:
        """A short name for logs and `/readyz`."""
        ...

    def answer(self, conversation: AnswerContext) -> AsyncGenerator[Piece, None]:
        """Yield the answer in pieces, with `[n]` where it rests on the n-th passage.

        Raises:
            UpstreamError: when a model that is asked does not answer as it should.
        """
        ...

    async def check(self) -> None:
        """Return if answering would work now; raise as `answer` does if not."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


class ChatStream(Protocol):
    """A chat model that streams."""

    def stream(
        self, turns: Sequence[ConversationTurn], options: Mapping[str, Any]
    ) -> AsyncGenerator[Piece, None]:
        """Yield the model's answer in pieces.

        Raises:
            UpstreamError: when it does not answer as it should.
        """
        ...

    async def check(self) -> None:
        """Return if the endpoint answers; raise `UpstreamError` if not."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
