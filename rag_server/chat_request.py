"""Parse chat requests strictly, without quoting them in errors.

A field is honoured, refused with status 400, or named in the header `x-sage-rag-ignored`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from sage_rag.common.web.errors import ApiError, invalid_fields
from sage_rag.privacy.blind_index import BLIND_WORD
from sage_rag.privacy.lookup import MOST_TOKENS
from sage_rag.privacy.tokens import TOKEN
from sage_rag.rag_server.followups import asked_by_user, people_before, standalone
from sage_rag.rag_server.named_people import NamedPeople
from sage_rag.rag_server.tool_requests import Tool, ToolCallMessage, ToolChoice

MAX_SEARCH_WORDS = 4096
"""The blind words of about a thousand values: more than a question names."""
MAX_SEARCH_GROUPS = 32
"""Words of the names in a question whose values are searched."""
MAX_NAMED = 512
"""Tokens that the names of a question may mean, of each kind: each is looked up."""

IGNORED_HEADER = "x-sage-rag-ignored"
_MOST_IGNORED = 1_000
"""Characters of the header's names: clients refuse long headers."""
SAMPLING = frozenset(
    "max_tokens max_completion_tokens temperature top_p seed stop presence_penalty"
    " frequency_penalty reasoning_effort verbosity logit_bias response_format".split()
)
"""The options that are passed to a chat model."""
TOOLS = frozenset({"tools", "tool_choice", "parallel_tool_calls"})
"""The options of tool calls, which are passed to a chat model that has them."""
CUT_BY_US = frozenset({"max_tokens", "max_completion_tokens", "stop"})
"""Options that the server applies itself where the answerer does not."""
_MOST_STOPS = 4
"""The limit of OpenAI."""
_NEEDS_A_MODEL = frozenset({"logit_bias", "response_format"})
"""Options that change what an answer is: refused, not ignored, where no model honours them."""
_NEEDS_ENDPOINT = "needs a server with a model at an endpoint (--llm-base-url)"
_NOT_OFFERED = ("logprobs top_logprobs audio web_search_options functions function_call").split()
_MAX_NAME = 40


class StreamOptions(BaseModel):
    """The `stream_options` of a request."""

    model_config = ConfigDict(strict=True)

    include_usage: bool | None = None
    include_obfuscation: bool | None = None


class ResponseFormat(BaseModel):
    """The `response_format` of a request."""

    type: Literal["text", "json_object", "json_schema"]
    json_schema: dict[str, Any] | None = None


class RequestMessage(BaseModel):
    """One message. Its `content` is a string, or a list of text parts that are joined to one.

    A message of an assistant can hold `tool_calls`, or a `refusal` instead of its content, as a
    field or as a part; one of a tool answers the call `tool_call_id`.
    """

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str = ""
    refusal: str | None = None
    tool_calls: list[ToolCallMessage] | None = None
    tool_call_id: str | None = None

    @field_validator("content", mode="before")
    @classmethod
    def _join_parts(cls, content: Any, info: ValidationInfo) -> Any:
        if content is None:
            return ""
        if not isinstance(content, list):
            return content
        kinds = ("text", "refusal") if info.data.get("role") == "assistant" else ("text",)
        return "\n".join(_part(p, kinds) for p in content)

    @model_validator(mode="after")
    def _refusal_is_text(self) -> Self:
        if self.role == "assistant" and not self.content:
            self.content = self.refusal or ""
        return self


def _part(part: Any, kinds: Collection[str]) -> str:
    kind = part.get("type") if isinstance(part, dict) else None
    text = part.get(kind) if isinstance(kind, str) and kind in kinds else None
    if not isinstance(text, str):
        raise PydanticCustomError("content_part", "only text parts are supported")
    return text


def ignored_header(names: Iterable[str]) -> str:
    """Return the value of `IGNORED_HEADER`; names that do not fit become `...`."""
    listed = ", ".join(names)
    if len(listed) <= _MOST_IGNORED:
        return listed
    return f"{listed[:_MOST_IGNORED].rpartition(', ')[0]}, ..."


class NamedPeopleTokens(BaseModel):
    """The tokens of `NamedPeople`."""

    model_config = ConfigDict(extra="forbid")

    known: list[str] = Field(default_factory=list, max_length=MAX_NAMED)
    unknown: list[str] = Field(default_factory=list, max_length=MAX_NAMED)
    others: list[str] = Field(default_factory=list, max_length=MAX_NAMED)
    alike: list[str] = Field(default_factory=list, max_length=MAX_NAMED)
    dates: list[str] = Field(default_factory=list, max_length=MAX_NAMED)
    partial: list[str] = Field(default_factory=list, max_length=MAX_NAMED)

    @field_validator("known", "unknown", "others", "alike", "dates", "partial")
    @classmethod
    def _tokens(cls, tokens: list[str]) -> list[str]:
        if not all(map(TOKEN.fullmatch, tokens)):
            raise PydanticCustomError("tokens", "each must be a token")
        return tokens

    def people(self) -> NamedPeople:
        """Return them as the search takes them."""
        return NamedPeople(**{kind: tuple(tokens) for kind, tokens in self})


class ChatRequest(BaseModel):
    """A chat completion request.

    Four fields are extensions of the OpenAI API. `sources="markdown"` requests a list of sources
    after the answer. `search_words` holds the blind words of the values in `standalone`, and
    `search_tokens`, for each word of these values, the tokens of the values of the index with this
    word. `named_people` says whom its names may mean. Only a client with keys can compute them.
    """

    model_config = ConfigDict(extra="ignore", strict=True)

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
    logit_bias: dict[str, float] | None = None
    response_format: ResponseFormat | None = None
    reasoning_effort: str | None = None
    verbosity: str | None = None
    modalities: list[Literal["text"]] | None = None
    tools: list[Tool] | None = None
    tool_choice: Literal["none", "auto", "required"] | ToolChoice | None = None
    parallel_tool_calls: bool | None = None
    store: bool | None = None
    sources: Literal["markdown"] | None = None
    search_words: list[str] = Field(default_factory=list, max_length=MAX_SEARCH_WORDS)
    search_tokens: list[list[str]] = Field(default_factory=list, max_length=MAX_SEARCH_GROUPS)
    named_people: NamedPeopleTokens | None = None

    @field_validator("search_words")
    @classmethod
    def _blind_words(cls, words: list[str]) -> list[str]:
        if not all(BLIND_WORD.fullmatch(word) for word in words):
            raise PydanticCustomError("blind_words", "each must be a blind word")
        return words

    @field_validator("search_tokens")
    @classmethod
    def _tokens(cls, groups: list[list[str]]) -> list[list[str]]:
        if not all(
            len(group) <= MOST_TOKENS and all(map(TOKEN.fullmatch, group)) for group in groups
        ):
            raise PydanticCustomError("tokens", f"each must hold at most {MOST_TOKENS} tokens")
        return groups

    @field_validator("n")
    @classmethod
    def _one_choice(cls, n: int | None) -> int | None:
        if n not in (None, 1):
            raise PydanticCustomError("one_choice", "only one choice per request is supported")
        return n

    @field_validator("stop")
    @classmethod
    def _stop_has_text(cls, stop: str | list[str] | None) -> str | list[str] | None:
        stops = [stop] if isinstance(stop, str) else stop or []
        if len(stops) > _MOST_STOPS:
            raise PydanticCustomError("stop", f"at most {_MOST_STOPS} stop sequences are supported")
        if not all(stops):
            raise PydanticCustomError("stop", "a stop sequence must not be empty")
        return stop

    @property
    def question(self) -> str:
        """The last user message; a name that it consents to ("yes") in its place."""
        return self._asked[-1]

    @property
    def standalone(self) -> str:
        """The last user message with what it takes from the earlier ones: what is searched."""
        return standalone(self._asked)

    @property
    def people_before(self) -> list[str]:
        """The tokens of the persons whom the question before names, or takes from earlier ones."""
        return people_before(self._asked)

    @property
    def _asked(self) -> list[str]:
        return asked_by_user((m.role, m.content) for m in self.messages)

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
        """The options that are passed to a chat model."""
        passed = SAMPLING | TOOLS if self.tools else SAMPLING
        return self.model_dump(include=set(passed), exclude_none=True)

    @property
    def most_tokens(self) -> int | None:
        """The longest answer that the client wants."""
        given = [n for n in (self.max_tokens, self.max_completion_tokens) if n is not None]
        return min(given, default=None)

    @property
    def stops(self) -> list[str]:
        """The stop sequences."""
        return [self.stop] if isinstance(self.stop, str) else self.stop or []

    def without_effect(self, honoured: Collection[str]) -> list[str]:
        """Return the options of this request that an answerer does not honour, sorted.

        Raises:
            ApiError: 400 for an option that would change what the answer is.
        """
        unused = sorted(self.options.keys() - CUT_BY_US - set(honoured))
        unused += ["store"] if self.store else []  # no service of ours keeps an answer
        if self.response_format is not None and self.response_format.type == "text":
            unused = [name for name in unused if name != "response_format"]
        if self.tools and "tools" not in honoured:
            # Clients offer their tools with every message, and a model need not call any.
            if self.tool_choice not in (None, "none", "auto"):
                raise _unsupported("tool_choice", f"{_NEEDS_ENDPOINT}, and none with --guard")
            if self.tool_choice == "none":
                unused = [name for name in unused if name not in TOOLS]
        if not self.tools and self.tool_choice not in (None, "none", "auto"):
            raise _unsupported("tool_choice", "there are no tools")
        for name in unused:
            if name in _NEEDS_A_MODEL:
                raise _unsupported(name, _NEEDS_ENDPOINT)
        return unused


def parse_chat(body: Any) -> ChatRequest:
    """Return the request in a JSON body.

    Raises:
        ApiError: 400; names the invalid or unsupported field.
    """
    try:
        chat = ChatRequest.model_validate(body)
    except ValidationError as error:
        raise invalid_fields(error) from None
    refuse_what_is_not_offered(body)
    if not any(m.role == "user" and m.content.strip() for m in chat.messages):
        raise ApiError(
            400, "there is no user message with a question", code="invalid_value", param="messages"
        )
    if not chat.question.strip():
        raise ApiError(
            400, "the last user message is empty", code="invalid_value", param="messages"
        )
    if chat.sources and chat.response_format and chat.response_format.type != "text":
        raise _unsupported("sources", "a list of sources after the answer would break its JSON")
    return chat


def unknown_fields(body: dict[str, Any], known: Collection[str] | None = None) -> list[str]:
    """Return the names of fields that the server does not know, sorted.

    `known`: those of the endpoint; without, of a chat request. Names that do not look like names
    are left out: a header repeats them.
    """
    known = {*ChatRequest.model_fields, *_NOT_OFFERED} if known is None else known
    given = (name for name, value in body.items() if value is not None)
    return sorted(name for name in given if name not in known and is_plain_name(name))


def is_plain_name(name: str) -> bool:
    """Return whether a field's name can be repeated in a header or message."""
    return name.isascii() and name.isidentifier() and len(name) <= _MAX_NAME


def refuse_what_is_not_offered(body: dict[str, Any]) -> None:
    """Return if a chat request has no field that neither server nor edge offers.

    Raises:
        ApiError: 400; names the first one.
    """
    for name in _NOT_OFFERED:
        unused = name == "functions" and body.get("tool_choice") == "none"
        if (body.get(name) or body.get(name) == {}) and not unused:  # {} asks for the defaults
            raise _unsupported(name, "is not supported")


def _unsupported(name: str, reason: str) -> ApiError:
    return ApiError(400, f"`{name}`: {reason}", code="unsupported_parameter", param=name)
