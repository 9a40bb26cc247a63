"""`/v1/responses`: text in and out, streamed or whole; nothing is stored."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from sage_rag.common.web import sse
from sage_rag.common.web.errors import ApiError
from sage_rag.rag_server.adapters.translate import copied, event_of, unsupported
from sage_rag.rag_server.chat_request import ChatRequest

_NOT_OFFERED = (
    "background conversation include max_tool_calls previous_response_id prompt tools top_logprobs"
).split()
_NOT_STORED = "responses are not stored; send the earlier messages in `input`"
_REASONS = {"conversation": _NOT_STORED, "previous_response_id": _NOT_STORED}
_TEXT_PARTS = frozenset({"input_text", "output_text", "text"})
_SAME = (
    *("model", "stream", "temperature", "top_p", "user", "metadata", "service_tier", "store"),
    *("safety_identifier", "prompt_cache_key", "sources"),
    *("search_words", "search_tokens", "named_people"),
)


_TRANSLATED = (
    *("input", "instructions", "max_output_tokens", "reasoning", "text", "stream_options"),
    *("messages", "max_tokens", "max_completion_tokens", "response_format"),
)
"""Fields that are read, and those of a chat that this endpoint does not have."""
_NAMES = {
    "messages": "input",
    "max_completion_tokens": "max_output_tokens",
    "reasoning_effort": "reasoning.effort",
    "response_format": "text.format",
    "verbosity": "text.verbosity",
}
"""The fields of a chat request that have another name here."""
_FIELD = re.compile(r"(\w+)(?:\[(\d+)\])?")
_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}
"""Why a response is incomplete, by the finish reason of a chat completion."""


class ResponseRequest(BaseModel):
    """A request, for the API document."""

    model: str
    input: str | list[dict[str, Any]]
    instructions: str | None = None
    stream: bool | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None


def chat_of(body: dict[str, Any]) -> dict[str, Any]:
    """Return the chat request for a request of this endpoint.

    Raises:
        ApiError: 400 for input other than text, or for a field that is not offered.
    """
    for name in _NOT_OFFERED:
        if body.get(name):
            raise unsupported(name, _REASONS.get(name, "is not supported"))
    messages = _messages(body.get("input"))
    if body.get("instructions"):
        messages.insert(0, {"role": "developer", "content": body["instructions"]})
    # What this endpoint does not know goes on to be named in the header, or dropped at the edge.
    unknown = body.keys() - {*_SAME, *_NOT_OFFERED, *_TRANSLATED, *ChatRequest.model_fields}
    chat = {**copied(body, _SAME), **copied(body, tuple(sorted(unknown))), "messages": messages}
    if body.get("max_output_tokens") is not None:
        chat["max_completion_tokens"] = body["max_output_tokens"]
    if isinstance(reasoning := body.get("reasoning"), dict) and reasoning.get("effort"):
        chat["reasoning_effort"] = reasoning["effort"]
    if isinstance(text := body.get("text"), dict):
        if (written := _response_format(text.get("format"))) is not None:
            chat["response_format"] = written
        if text.get("verbosity") is not None:
            chat["verbosity"] = text["verbosity"]
    if body.get("stream"):
        chat["stream_options"] = {"include_usage": True}
    return chat


def _messages(given: Any) -> list[dict[str, Any]]:
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    if not isinstance(given, list):
        raise _invalid("a text or a list of messages is expected")
    return [_message(item) for item in given]


def _message(item: Any) -> dict[str, Any]:
    if not isinstance(item, dict) or item.get("type", "message") != "message":
        raise _invalid("only messages are supported")
    content = item.get("content")
    if isinstance(content, list):
        content = [_part(part) for part in content]
    return {"role": item.get("role"), "content": content}


def _part(part: Any) -> dict[str, Any]:
    if isinstance(part, dict) and part.get("type") == "refusal":
        return {"type": "refusal", "refusal": part.get("refusal")}
    if not isinstance(part, dict) or part.get("type") not in _TEXT_PARTS:
        raise _invalid("only text parts are supported")
    return {"type": "text", "text": part.get("text")}


def _response_format(given: Any) -> dict[str, Any] | None:
    """Return the `response_format` of a chat request for the field `text.format`."""
    if not isinstance(given, dict) or given.get("type") in (None, "text"):
        return None
    if given["type"] != "json_schema":
        return {"type": given["type"]}
    schema = {name: value for name, value in given.items() if name != "type"}
    return {"type": "json_schema", "json_schema": schema}


def _invalid(reason: str) -> ApiError:
    return ApiError(400, f"`input`: {reason}", code="invalid_value", param="input")


class ResponseTranslator:
    """Translates chat completions to responses; events are numbered as the API wants."""

    def __init__(self, body: dict[str, Any]) -> None:
        self._body = body
        self._id, self._item_id = f"resp_{uuid.uuid4().hex}", f"msg_{uuid.uuid4().hex}"
        self._created = int(time.time())
        self._text = ""
        self._annotations: list[dict[str, Any]] = []
        self._reason = "stop"
        self._last: dict[str, Any] = {}
        self._number = -1
        self._failed = False

    def whole(self, completion: dict[str, Any]) -> dict[str, Any]:
        """Return the response object of a chat completion."""
        choice = completion["choices"][0]
        self._text = choice["message"].get("content") or ""
        self._annotations = _annotations(choice["message"].get("annotations"))
        self._reason = choice.get("finish_reason") or "stop"
        self._last = completion
        return self._ended()

    def chunk(self, chunk: dict[str, Any]) -> Iterator[sse.Event]:
        """Yield the events of a chat chunk."""
        if "choices" not in chunk:
            yield from self._failure(chunk.get("error") or {})
            return
        if self._number < 0:
            yield from self._begin(chunk)
        self._last = {**self._last, **{k: v for k, v in chunk.items() if v is not None}}
        for choice in chunk["choices"]:
            self._reason = choice.get("finish_reason") or self._reason
            if text := choice["delta"].get("content"):
                self._text += text
                yield self._event("output_text.delta", **self._place, delta=text, logprobs=[])
            yield from self._annotate(_annotations(choice["delta"].get("annotations")))

    def done(self) -> Iterator[sse.Event]:
        """Yield the events that end the response."""
        if self._failed:
            return
        part, item = self._part(), self._item(self._status)
        yield self._event("output_text.done", **self._place, text=self._text, logprobs=[])
        yield self._event("content_part.done", **self._place, part=part)
        yield self._event("output_item.done", output_index=0, item=item)
        ended = "completed" if self._status == "completed" else "incomplete"
        yield self._event(ended, response=self._ended())

    def field(self, name: str) -> str:
        """Return the name of a field, such as `input[0].role`; one text is `input` as a whole."""
        match = _FIELD.match(name)
        if match is None or match.group(1) not in _NAMES:
            return name
        field, place = _NAMES[match.group(1)], match.group(2)
        if place is None:
            return field + name[match.end() :]
        number = int(place) - bool(self._body.get("instructions"))
        if number < 0:
            return "instructions"
        return (
            f"input[{number}]{name[match.end() :]}"
            if isinstance(self._body.get("input"), list)
            else field
        )

    def _begin(self, chunk: dict[str, Any]) -> Iterator[sse.Event]:
        self._last = {"model": chunk.get("model")}
        begun = self._response("in_progress", [])
        yield self._event("created", response=begun)
        yield self._event("in_progress", response=begun)
        item = {**self._item("in_progress"), "content": []}
        yield self._event("output_item.added", output_index=0, item=item)
        yield self._event("content_part.added", **self._place, part=self._part())

    def _annotate(self, annotations: list[dict[str, Any]]) -> Iterator[sse.Event]:
        for annotation in annotations:
            number = {"annotation_index": len(self._annotations), "annotation": annotation}
            self._annotations.append(annotation)
            yield self._event("output_text.annotation.added", **self._place, **number)

    def _failure(self, error: dict[str, Any]) -> Iterator[sse.Event]:
        self._failed = True
        shown = {name: error.get(name) for name in ("code", "message", "param")}
        self._number += 1
        yield event_of({"type": "error", **shown, "sequence_number": self._number}, "error")

    @property
    def _place(self) -> dict[str, Any]:
        return {"item_id": self._item_id, "output_index": 0, "content_index": 0}

    @property
    def _status(self) -> str:
        return "incomplete" if self._reason in _INCOMPLETE else "completed"

    def _event(self, kind: str, **more: Any) -> sse.Event:
        self._number += 1
        name = f"response.{kind}"
        return event_of({"type": name, "sequence_number": self._number, **more}, name)

    def _part(self) -> dict[str, Any]:
        return {
            "type": "output_text",
            "text": self._text,
            "annotations": [*self._annotations],
            "logprobs": [],
        }

    def _item(self, status: str) -> dict[str, Any]:
        content = [self._part()]
        return {
            "id": self._item_id,
            "type": "message",
            "role": "assistant",
            "status": status,
            "content": content,
        }

    def _ended(self) -> dict[str, Any]:
        ended = self._response(self._status, [self._item(self._status)])
        extra = {k: self._last[k] for k in ("citations", "sources") if self._last.get(k)}
        return {**ended, "usage": _usage(self._last.get("usage")), **extra}

    def _response(self, status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
        cut = {"reason": _INCOMPLETE[self._reason]} if status == "incomplete" else None
        return {
            "id": self._id,
            "object": "response",
            "created_at": self._created,
            "status": status,
            "error": None,
            "incomplete_details": cut,
            "output": output,
            "model": self._last.get("model"),
            "instructions": None,
            "usage": None,
            "parallel_tool_calls": False,
            "tool_choice": "none",
            "tools": [],
            "temperature": self._body.get("temperature"),
            "top_p": self._body.get("top_p"),
            "metadata": {},
            "store": False,
            "previous_response_id": None,
        }


def _annotations(given: Any) -> list[dict[str, Any]]:
    """Return the annotations of a chat message as this endpoint has them: without a level."""
    items = given if isinstance(given, list) else []
    marks = (item.get("url_citation") for item in items if isinstance(item, dict))
    return [{"type": "url_citation", **mark} for mark in marks if isinstance(mark, dict)]


def _usage(counts: Any) -> dict[str, Any] | None:
    if not isinstance(counts, dict):
        return None
    return {
        "input_tokens": counts.get("prompt_tokens", 0),
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": counts.get("completion_tokens", 0),
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": counts.get("total_tokens", 0),
    }
