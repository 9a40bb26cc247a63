"""Invented records and a model that remembers how it was asked, for the tests of stage 1."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, TypeVar

from sage_rag.agents.chat.protocols import ChatMessage, Reply
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import ProtectedText, Protector
from sage_rag.privacy.testing import TableRecognizer

T = TypeVar("T")
NAMES = {"Ada Novak": EntityType.PERSON, "Brno": EntityType.LOCATION}
_PROTECTOR = Protector(
    TableRecognizer(NAMES), preset("sage"), SivCipher(Keyset.generate(), "clinic")
)


def protected(fields: Mapping[str, str]) -> ProtectedText:
    return _PROTECTOR.protect(fields).protected


def run(call: Awaitable[T]) -> T:
    async def wait() -> T:
        return await call

    return asyncio.run(wait())


class AskedModel:
    """Answer from a list; an answer may be a `Reply`. Remembers messages, stages and shapes."""

    name = "asked"

    def __init__(self, *answers: str | Reply) -> None:
        self._answers = list(answers)
        self.asked: list[list[ChatMessage]] = []
        self.stages: list[str] = []
        self.shapes: list[Mapping[str, Any] | None] = []

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        stage: str = "",
        shape: Mapping[str, Any] | None = None,
    ) -> Reply:
        self.asked.append(list(messages))
        self.stages.append(stage)
        self.shapes.append(shape)
        answer = self._answers.pop(0)
        return answer if isinstance(answer, Reply) else Reply(answer)
