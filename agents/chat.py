"""The seam to language models: messages in, text and its cost out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, as the model's own tokenizer counts them; 0 where nobody says."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said. `finished` is false where it was cut off at its limit of tokens."""

    text: str
    usage: Usage = Usage()
    finished: bool = True


class ChatModel(Protocol):
    """Completes conversations."""

    @property
    def name(self) -> str:
        """The model's name, as manifests and fingerprints record it."""
        ...

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        stage: str = "",
        shape: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Return the model's answer.

        `stage` names what is asked for ("extract", "review", ...), for accounts and limits;
        `shape` is a JSON schema that the answer should fit, for servers that can hold a model to
        one. It is a hint: whoever asks checks the answer.

        Raises:
            UpstreamError: when the model cannot be reached or refuses to answer at all.
        """
        ...
