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
_ADDED_BY_EDGES = frozenset({"search_words", "search_tokens", "named_people"})


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The limits of server or edge.

    `question_chars`: the last user message; `conversation_chars`: all texts of a request.
    """

    body_bytes: int = MAX_BODY_BYTES
    body_s: float = MAX_BODY_S
    question_chars: int = 8_000
    conversation_chars: int = 200_000

    def check_conversation(self, body: dict[str, Any], length: Length = len) -> None:
        """Return if all texts of a chat request together are within `conversation_chars`.

        The extensions, which an edge adds to what its client sent, have limits of their own.

        Raises:
            ApiError: 400; names the limit, as that of the other checks does.
        """
        self.check_texts([body[name] for name in body.keys() - _ADDED_BY_EDGES], length)

    def check_last_message(self, body: dict[str, Any], length: Length = len) -> None:
        """Return if the last user message of a chat request is within `question_chars`."""
        messages = body.get("messages")
        for message in reversed(messages if isinstance(messages, list) else []):
            if isinstance(message, dict) and message.get("role") == "user":
                self.check_question(text_of(message.get("content")) or "", length)
                return

    def check_texts(self, value: Any, length: Length = len) -> None:
        """Return if all strings in a JSON value together are within `conversation_chars`."""
        if sum(map(length, _strings(value))) > self.conversation_chars:
            raise _too_long("the request's texts", self.conversation_chars, "conversation_too_long")

    def check_question(self, question: str, length: Length = len) -> None:
        """Return if a question is within `question_chars`."""
        if length(question) > self.question_chars:
            raise _too_long("the last user message", self.question_chars, "question_too_long")


def readable_length(text: str) -> int:
    """Return the length of a text in which a ciphertext token counts as one character.

    An edge has checked the length of the plain text, and no value is shorter than that.
    """
    return len(TOKEN.sub(" ", text)) if may_have_token(text) else len(text)


def text_of(content: Any) -> str | None:
    """Return the text of a message's content: a string, or the text parts of a list as lines.

    `None`: it is neither. Nothing else in the content is checked.
    """
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else None


def _too_long(what: str, limit: int, code: str) -> ApiError:
    message = f"{what} must not be longer than {limit:,} characters"
    return ApiError(400, message, code=code, param="messages")


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
