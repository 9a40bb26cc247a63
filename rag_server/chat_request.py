"""Parse chat requests strictly, without quoting them in errors."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from sage_rag.common.web.errors import ApiError, invalid_fields
from sage_rag.privacy.blind_index import BLIND_WORD

MAX_SEARCH_WORDS = 4096
"""The blind words of about a thousand values: more than a question names."""


class StreamOptions(BaseModel):
    """The `stream_options` of a request."""

    include_usage: bool | None = None


class RequestMessage(BaseModel):
    """One message. Its `content` is a string, or a list of text parts that are joined to one."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str = ""

    @field_validator("content", mode="before")
    @classmethod
    def _join_parts(cls, content: Any) -> Any:
        if content is None:
            return ""
        return "\n".join(_part(p) for p in content) if isinstance(content, list) else content


def _part(part: Any) -> str:
    text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
    if not isinstance(text, str):
        raise PydanticCustomError("content_part", "only text parts are supported")
    return text


class ChatRequest(BaseModel):
    """A chat completion request; unknown fields are ignored.

    Two fields are extensions of the OpenAI API. `sources="markdown"` requests a list of sources
    after the answer. `search_words` holds the blind words of the values in the last user message;
    only a client with keys can compute them.
    """

    model_config = ConfigDict(extra="ignore")

    model: str
    messages: list[RequestMessage] = Field(min_length=1)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: int | None = None
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, ge=0, le=1)
    presence_penalty: float | None = Field(None, ge=-2, le=2)
    frequency_penalty: float | None = Field(None, ge=-2, le=2)
    seed: int | None = None
    stop: str | list[str] | None = None
    sources: Literal["markdown"] | None = None
    search_words: list[str] = Field(default_factory=list, max_length=MAX_SEARCH_WORDS)

    @field_validator("search_words")
    @classmethod
    def _blind_words(cls, words: list[str]) -> list[str]:
        if not all(BLIND_WORD.fullmatch(word) for word in words):
            raise PydanticCustomError("blind_words", "each must be a blind word")
        return words

    @field_validator("n")
    @classmethod
    def _one_choice(cls, n: int | None) -> int | None:
        if n not in (None, 1):
            raise PydanticCustomError("one_choice", "only one choice per request is supported")
        return n

    @property
    def question(self) -> str:
        """The last user message."""
        return self.messages[self.question_at].content

    @property
    def question_at(self) -> int:
        """The position of the last user message."""
        return max(i for i, message in enumerate(self.messages) if message.role == "user")

    @property
    def include_usage(self) -> bool:
        """Whether a stream ends with token usage."""
        return bool(self.stream_options and self.stream_options.include_usage)

    @property
    def options(self) -> dict[str, Any]:
        """The sampling options that are passed to a chat model."""
        names = {"max_tokens", "max_completion_tokens", "temperature", "top_p", "seed", "stop"}
        names |= {"presence_penalty", "frequency_penalty"}
        return self.model_dump(include=names, exclude_none=True)


def parse_chat(body: Any) -> ChatRequest:
    """Return the request in a JSON body.

    Raises:
        ApiError: 400; names the invalid field.
    """
    try:
        chat = ChatRequest.model_validate(body)
    except ValidationError as error:
        raise invalid_fields(error) from None
    if not any(m.role == "user" and m.content.strip() for m in chat.messages):
        raise ApiError(
            400, "there is no user message with a question", code="invalid_value", param="messages"
        )
    if not chat.question.strip():
        raise ApiError(
            400, "the last user message is empty", code="invalid_value", param="messages"
        )
    return chat
