"""Translate responses of chat completions, whole or streamed, for another endpoint."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Any, Protocol, cast

from starlette.responses import JSONResponse, Response, StreamingResponse

from sage_rag.common.web import sse
from sage_rag.common.web.errors import ApiError
from sage_rag.rag_server.chat_request import IGNORED_HEADER


class Translator(Protocol):
    """Translates one response."""

    def whole(self, completion: dict[str, Any]) -> dict[str, Any]:
        """Return a whole chat completion as the endpoint's object."""
        ...

    def chunk(self, chunk: dict[str, Any]) -> Iterator[sse.Event]:
        """Yield the events for one chunk, or for an error object."""
        ...

    def done(self) -> Iterator[sse.Event]:
        """Yield the events that end the stream."""
        ...

    def field(self, name: str) -> str:
        """Return the endpoint's name for a field of a chat request, such as `messages[0].role`."""
        ...


def translated(response: Response, translator: Translator) -> Response:
    """Return the response of another endpoint; errors name its fields."""
    kept = {k: v for k, v in response.headers.items() if k.startswith("x-") or k == "retry-after"}
    if ignored := kept.get(IGNORED_HEADER):
        kept[IGNORED_HEADER] = ", ".join(map(translator.field, ignored.split(", ")))
    if isinstance(response, StreamingResponse):
        pieces = cast(AsyncGenerator[bytes, None], response.body_iterator)
        stream = _translated(pieces, translator)
        return StreamingResponse(stream, headers={**sse.HEADERS, **kept}, media_type=sse.MEDIA_TYPE)
    body = json.loads(bytes(response.body))
    failed = response.status_code != 200
    translation = _error(body, translator) if failed else translator.whole(body)
    return JSONResponse(translation, response.status_code, headers=kept)


def _error(body: dict[str, Any], translator: Translator) -> dict[str, Any]:
    error = body.get("error")
    if not isinstance(error, dict) or not isinstance(param := error.get("param"), str):
        return body
    field = translator.field(param)
    message = str(error.get("message")).replace(f"`{param}`", f"`{field}`")
    return {**body, "error": {**error, "message": message, "param": field}}


async def _translated(
    pieces: AsyncGenerator[bytes, None], translator: Translator
) -> AsyncGenerator[bytes, None]:
    decoder = sse.EventDecoder()
    async with aclosing(pieces):
        async for piece in pieces:
            for event in decoder.feed(piece):
                last = event.data == sse.DONE
                events = translator.done() if last else translator.chunk(json.loads(event.data))
                for translated_event in events:
                    yield translated_event.encode()


def event_of(payload: dict[str, Any], name: str = "") -> sse.Event:
    """Return a JSON payload as an event."""
    return sse.Event(json.dumps(payload, ensure_ascii=False, separators=(",", ":")), name)


def copied(body: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of a request that have the same name and meaning in a chat request."""
    return {name: body[name] for name in names if body.get(name) is not None}


def unsupported(name: str, reason: str = "is not supported") -> ApiError:
    """Return the error for a field that the endpoint does not offer."""
    return ApiError(400, f"`{name}`: {reason}", code="unsupported_parameter", param=name)
