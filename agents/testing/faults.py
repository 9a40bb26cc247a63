"""What a language model, and the server before it, can do wrong: one function for each fault."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

from sage_rag.agents.testing.model import NO_OBJECTION, facts_of, record_in
from sage_rag.privacy.tokens import PLACEHOLDER

INVENTED_NAME = "Peregrine Wolstenholme"
"""Occurs in no corpus: a text that contains it was made up by a model."""
INVENTED_PLACEHOLDER = "[PERSON_77]"
TRUNCATES = "truncates"
NO_SCHEMAS = "old-server"
"""The one fault that depends on the request: 400 if it has a `response_format`."""


@dataclass(frozen=True)
class Call:
    """One call: the role, the prompt, and the competent answer."""

    role: str
    system: str
    user: str
    answer: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The competent answer as it is sent."""
        return json.dumps(self.answer, ensure_ascii=False)


def _never_safe(call: Call) -> str:
    objection = {"suggestion": "Say it in other words.", "quote": None}
    answer = {**call.answer, "recovery": objection} if call.role == "review" else call.answer
    return json.dumps(answer, ensure_ascii=False)


def _copies(call: Call) -> str:
    """Copy every word in its order, call the copy safe, and rewrite nothing."""
    record = record_in(call.user)
    answer: Mapping[str, Any] = call.answer
    if call.role == "review":
        answer = NO_OBJECTION
    elif "information" in call.answer:
        facts = facts_of(call.system, record, lambda text: [text])
        copied = {"information": facts, "record": record}
        answer = {name: copied[name] for name in call.answer}
    elif call.role != "identify" and record:
        answer = record
    return json.dumps(answer, ensure_ascii=False)


def _in_drafts(change: Callable[[str], str]) -> Callable[[Call], str]:
    """Return a fault that changes the texts of records and of facts for them."""

    def fault(call: Call) -> str:
        if call.role in ("identify", "review", "infer"):
            return call.text
        return json.dumps(_changed(call.answer, change), ensure_ascii=False)

    return fault


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, Mapping):
        return {name: _changed(inner, change) for name, inner in value.items()}
    if isinstance(value, list):
        return [*value[:-1], *(_changed(last, change) for last in value[-1:])]
    return change(value)


REPLIES: Mapping[str, Callable[[Call], str]] = {
    "refuses": lambda call: "I'm sorry, but I can't help with somebody's private records.",
    "rambles": lambda call: f"Sure {{gladly}}! Here:\n\n{call.text}\n\nShall I go on :-}} ?",
    TRUNCATES: lambda call: call.text[: len(call.text) // 2],
    "breaks-json": lambda call: call.text.replace('": ', '" ').replace('"', "'", 1),
    "wrong-fields": lambda call: json.dumps({f"my_{n}": v for n, v in call.answer.items()}),
    "empty": lambda call: "",
    "never-safe": _never_safe,
    "copies": _copies,
    "puts-name": _in_drafts(lambda text: PLACEHOLDER.sub(rf"\g<0> {INVENTED_NAME}", text)),
    "loses-placeholder": _in_drafts(lambda text: PLACEHOLDER.sub("somebody", text)),
    "invents-placeholder": _in_drafts(lambda text: f"{text} {INVENTED_PLACEHOLDER} agrees."),
}
"""What a model says instead of the competent answer."""


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")


def _error(status: int, message: str, **more: str) -> Callable[[bytes], Response]:
    error = {"error": {"message": message, **more}}
    return lambda body: JSONResponse(error, status, headers={"retry-after": "1"})


def _drips(body: bytes) -> Response:
    async def drops() -> AsyncIterator[bytes]:
        for at in range(len(body)):
            yield body[at : at + 1]
            await asyncio.sleep(0 if at % 8 else 0.001)

    return StreamingResponse(drops(), media_type="application/json")


def _drops(body: bytes) -> Response:
    async def half() -> AsyncIterator[bytes]:
        yield body[: len(body) // 2]
        raise ConnectionAbortedError

    length = {"content-length": str(len(body))}
    return StreamingResponse(half(), media_type="application/json", headers=length)


def _endless(body: bytes) -> Response:
    async def words() -> AsyncIterator[bytes]:
        yield body[: body.find(b'"content"')] + b'"content": "'
        while True:
            yield b"la " * 300
            await asyncio.sleep(0.01)

    return StreamingResponse(words(), media_type="application/json")


def _gzip_garbage(body: bytes) -> Response:
    garbage = b"\x1f\x8b\x08\x00" + body[::-1]
    return Response(garbage, 200, {"content-encoding": "gzip"}, "application/json")


def _accented(body: bytes) -> str:
    return re.sub(r'("content": ?")', r"\1Voilà, café: ", body.decode())


RESPONSES: Mapping[str, Callable[[bytes], Response]] = {
    "storms": _error(429, "Rate limit reached", type="rate_limit_error"),
    "denies": _error(401, "Incorrect API key provided", code="invalid_api_key"),
    "fails": _error(500, "CUDA out of memory", type="server_error"),
    "drips": _drips,
    "drops": _drops,
    "endless": _endless,
    "latin-1": lambda body: _json(_accented(body).encode("latin-1", "replace")),
    "broken-utf8": lambda body: _json(_accented(body).encode().replace(b"\xc3\xa9", b"\xc3(")),
    "bom": lambda body: _json(b"\xef\xbb\xbf" + body),
    "gzip-garbage": _gzip_garbage,
    "html-page": lambda body: HTMLResponse("<html><h1>502 Bad Gateway</h1><hr>nginx</html>"),
    "no-choices": lambda body: _json(json.dumps({**json.loads(body), "choices": []}).encode()),
}
"""What a server sends instead of the body that it should send."""

FAULTS = (*REPLIES, *RESPONSES, NO_SCHEMAS)
