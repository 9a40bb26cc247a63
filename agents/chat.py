"""The seam to language models: messages in, text out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class ChatModel(Protocol):
    """Completes conversations."""

    @property
    def name(self) -> str:
        """The model's name, as manifests and fingerprints record it."""
        ...

    async def complete(self, messages: list[Message]) -> str:
        """Return the model's answer.

        Raises:
            UpstreamError: when the model cannot be reached or refuses to answer at all.
        """
        ...
