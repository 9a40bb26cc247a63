"""Limits of a request. They bound the time that one request can take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sage_rag.common.web.errors import ApiError
from sage_rag.common.web.requests import MAX_BODY_BYTES, MAX_BODY_S
from sage_rag.privacy.tokens import TOKEN, may_have_token

Length = Callable[[str], int]
"""Returns the length of a text in characters."""


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The limits of server or edge.

    `question_chars`: the last user message; `conversation_chars`: all texts of a request.
    """

    body_bytes: int = MAX_BODY_BYTES
    body_s: float = MAX_BODY_S
    question_chars: int = 8_000
    conversation_chars: int = 200_000

    def check(self, body: dict[str, Any], length: Length = len) -> None:
        """Return if the texts of a chat request are within the limits.

        Raises:
            ApiError: 400; names the limit.
        """
        self.check_question(_question(body.get("messages")), length)
        self.check_texts(body, length)

    def check_texts(self, value: Any, length: Length = len) -> None:
        """Return if all strings in a JSON value together are within `conversation_chars`."""
        if sum(map(length, _strings(value))) > self.conversation_chars:
            raise _too_long("the request's texts", self.conversation_chars, "conversation_too_long")

    def check_question(self, question: str, length: Length = len) -> None:
        """Return if a question is within `question_chars`."""
        if length(question) > self.question_chars:
            raise _too_long("the last user message", self.question_chars, "question_too_long")


def readable_length(text: str) -> int:
    """Return the length of a text in which a ciphertext token counts as 16 characters.

    A value grows when it is encrypted. An edge has checked the length of the plain text.
    """
    return len(TOKEN.sub(" " * 16, text)) if may_have_token(text) else len(text)


def _too_long(what: str, limit: int, code: str) -> ApiError:
    message = f"{what} must not be longer than {limit:,} characters"
    return ApiError(400, message, code=code, param="messages")


def _question(messages: Any) -> str:
    """Return the text of the last user message; empty where there is none."""
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict) and message.get("role") == "user":
            return "\n".join(_strings(message.get("content")))
    return ""


def _strings(value: Any) -> Iterator[str]:
    """Yield the strings in a JSON value, keys excepted."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            pending += reversed(item.values())
        elif isinstance(item, list):
            pending += reversed(item)
