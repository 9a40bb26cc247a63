"""The interface to language models: messages in, text and its cost out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.common.exceptions import UpstreamError, UpstreamTimeoutError


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one call, by the model's own tokenizer; 0 if they are not reported."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Tokens of prompt and answer together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer. `finished` is false if it was cut off at its limit of tokens.

    `forget` removes it from where it is kept for a repeated question: call it for one without use.
    """

    text: str
    usage: TokenUsage = TokenUsage()
    finished: bool = True
    forget: Callable[[], None] = field(default=lambda: None, compare=False, repr=False)


class RetryableError(UpstreamError):
    """A fault that may be temporary: the same question can be asked again.

    `retry_after_s`: how long the endpoint asks callers to wait. `answered`: whether anything
    answered at the address. `max_tries`: for faults that are seldom temporary, how many of them in
    a row end the call.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        retry_after_s: float | None = None,
        answered: bool = True,
        max_tries: int | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s
        self.answered = answered
        self.max_tries = max_tries


class RetryableTimeoutError(RetryableError, UpstreamTimeoutError):
    """There was no connection or no answer in time; the same question can be asked again."""


class UnusableReplyError(UpstreamError, AgentOutputError):
    """The model has no answer to this one question: empty, refused, filtered, or too long.

    Other questions may be answered: the record is quarantined and the run continues. `usage` is
    what the useless answer cost.
    """

    def __init__(
        self, message: str, *, hint: str | None = None, usage: TokenUsage | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.usage = usage or TokenUsage()


class ChatModel(Protocol):
    """Completes conversations."""

    @property
    def name(self) -> str:
        """The model's name, as manifests and fingerprints record it."""
        ...

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        stage: str = "",
        shape: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Return the model's answer.

        `stage` names what is asked for ("extract", "review", ...), for costs and limits. `shape`
        is a JSON schema that the answer should fit; only some servers enforce it, so the caller
        checks the answer.

        Raises:
            RetryableError: when asking again later may help.
            UnusableReplyError: when this question has no answer.
            UpstreamError: when the model cannot be reached or answers no question at all.
        """
        ...
