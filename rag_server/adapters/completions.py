"""`/v1/completions`: the prompt is the question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from sage_rag.common.web import sse
from sage_rag.common.web.errors import ApiError
from sage_rag.rag_server.adapters.translate import event_of, unsupported

_NOT_OFFERED = ("suffix", "echo", "logprobs")


class CompletionRequest(BaseModel):
    """A request, for the API document; other fields are those of a chat request."""

    model: str
    prompt: str | list[str]
    stream: bool | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    stop: str | list[str] | None = None


def chat_of(body: dict[str, Any]) -> dict[str, Any]:
    """Return the chat request for a completion request.

    Raises:
        ApiError: 400 without exactly one prompt, or for a field that is not offered.
    """
    for name in _NOT_OFFERED:
        if body.get(name):
            raise unsupported(name)
    if body.get("best_of") not in (None, 1):
        raise unsupported("best_of", "only one choice per request is supported")
    prompt = body.get("prompt")
    if isinstance(prompt, list) and len(prompt) == 1:
        prompt = prompt[0]
    if not isinstance(prompt, str):
        raise ApiError(400, "`prompt` must be one text", code="invalid_value", param="prompt")
    dropped = {*_NOT_OFFERED, "best_of", "prompt", "messages"}
    chat = {name: value for name, value in body.items() if name not in dropped}
    return {**chat, "messages": [{"role": "user", "content": prompt}]}


class CompletionTranslator:
    """Translates chat completions to text completions."""

    def whole(self, completion: dict[str, Any]) -> dict[str, Any]:
        """Return the text completion of a chat completion."""
        choices = [
            _choice(choice["message"].get("content"), choice.get("finish_reason"))
            for choice in completion["choices"]
        ]
        return {**_around(completion), "choices": choices}

    def chunk(self, chunk: dict[str, Any]) -> Iterator[sse.Event]:
        """Yield the text chunk of a chat chunk; nothing for one that only names the role."""
        if "choices" not in chunk:
            yield event_of(chunk)
            return
        choices = [
            _choice(choice["delta"].get("content"), choice.get("finish_reason"))
            for choice in chunk["choices"]
        ]
        silent = choices and not any(c["text"] or c["finish_reason"] for c in choices)
        if not silent or "event" in chunk:
            yield event_of({**_around(chunk), "choices": choices})

    def done(self) -> Iterator[sse.Event]:
        """Yield the end of the stream."""
        yield sse.Event(sse.DONE)

    def field(self, name: str) -> str:
        """Return the name of a field: the one message is the prompt."""
        return "prompt" if name.startswith("messages") else name


def _around(completion: dict[str, Any]) -> dict[str, Any]:
    around = {name: value for name, value in completion.items() if name != "choices"}
    number = str(around.get("id", "")).removeprefix("chatcmpl-")
    return {**around, "id": f"cmpl-{number}", "object": "text_completion"}


def _choice(text: str | None, finish_reason: str | None) -> dict[str, Any]:
    return {"index": 0, "text": text or "", "logprobs": None, "finish_reason": finish_reason}
