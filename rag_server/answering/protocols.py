"""The protocols of answering: `Answerer` and the chat model that it may use."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sage_rag.indexer.passages import Passage
from sage_rag.indexer.protocols import Vector
from sage_rag.rag_server.answering.evidence import Evidence
from sage_rag.rag_server.completions import CompletionUsage


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that a model calls, or a piece of such a call in a stream.

    `arguments` is JSON, as the model writes it. Pieces of one call have the same `index`; the first
    one has id and name.
    """

    index: int
    arguments: str
    id: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """One message of a conversation. `role`: system, user, assistant or tool.

    `tool_calls`: those of an assistant; `tool_call_id`: the call that a tool answers.
    """

    role: str
    text: str
    tool_calls: Sequence[ToolCall] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """The input of an answer.

    `history` holds all other turns, system messages included, but those of tools that the question
    led to: `tool_turns`. `options` are the client's sampling options under their API names.
    `standalone`: the question with what it takes from earlier ones; empty if it takes nothing.
    `evidence`: what the searched version holds on it; `None` if unknown.
    `answer_fields`: the fields of a record that answer questions; empty: the last one.
    `sentence_vectors`: stored vectors of sentences of the passages, by `sentence_key`. `composed`:
    the answer, where the answerer has `compose`. `streams`: whether the client reads pieces.
    `goes_on_with`: the rank of the passage of the last answer, if the question is known to be about
    it; else 0.
    """

    question: str
    passages: Sequence[Passage]
    history: Sequence[ConversationTurn] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    standalone: str = ""
    evidence: Evidence | None = None
    answer_fields: Sequence[str] = ()
    sentence_vectors: Mapping[int, Vector] = field(default_factory=dict, repr=False)
    tool_turns: Sequence[ConversationTurn] = ()
    composed: str | None = None
    streams: bool = True
    goes_on_with: int = 0


Compose = Callable[[AnswerContext], str]
"""Returns an answer with `[n]` citations."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an answer's text, or of calls of tools.

    The last pieces may hold the finish reason and token usage.
    """

    text: str = ""
    finish_reason: str | None = None
    usage: CompletionUsage | None = None
    tool_calls: Sequence[ToolCall] = ()


class Answerer(Protocol):
    """Answers a question from passages."""

    @property
    def name(self) -> str:
        """A short name for logs and `/readyz`."""
        ...

    @property
    def honours(self) -> frozenset[str]:
        """The sampling options of a request that change the answer."""
        ...

    @property
    def compose(self) -> Compose | None:
        """Composes an answer in the thread that searched; `None` where a model writes it."""
        ...

    def answer(self, conversation: AnswerContext) -> AsyncGenerator[Piece, None]:
        """Yield the answer in pieces; `[n]` cites the n-th passage.

        Raises:
            UpstreamError: when a chat model fails to answer correctly.
        """
        ...

    async def check(self) -> None:
        """Return if answering works; otherwise raise as `answer` does."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


class ChatStream(Protocol):
    """A chat model that streams."""

    @property
    def honours(self) -> frozenset[str]:
        """The sampling options that it follows."""
        ...

    async def context_tokens(self) -> int | None:
        """Return how many tokens it reads and writes at most; `None` if that is unknown."""
        ...

    async def count_tokens(self, turns: Sequence[ConversationTurn]) -> int | None:
        """Return the tokens of a prompt; `None` without the model's tokenizer.

        A long prompt takes a second: the loop must not wait for it.
        """
        ...

    def stream(
        self, turns: Sequence[ConversationTurn], options: Mapping[str, Any]
    ) -> AsyncGenerator[Piece, None]:
        """Yield the model's answer in pieces.

        Raises:
            UpstreamError: when the endpoint fails to answer correctly.
        """
        ...

    async def check(self) -> None:
        """Return if the endpoint answers; raise `UpstreamError` if not."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
