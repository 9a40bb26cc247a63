"""Translate responses of chat completions, whole or streamed, for another endpoint."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Any, Protocol, cast

from starlette.responses import JSONResponse, Response, StreamingResponse

from sage_rag.common.exceptions import UpstreamError
from sage_rag.common.web import sse
from sage_rag.common.web.errors import ApiError, as_api_error
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
    """Return the response of another endpoint; errors name its fields.

    Raises:
        UpstreamError: when an edge's server sent something else than a chat completion.
    """
    kept = {k: v for k, v in response.headers.items() if k.startswith("x-") or k == "retry-after"}
    if ignored := kept.get(IGNORED_HEADER):
        kept[IGNORED_HEADER] = ", ".join(map(translator.field, ignored.split(", ")))
    if isinstance(response, StreamingResponse):
        pieces = cast(AsyncGenerator[bytes, None], response.body_iterator)
        stream = _translated(pieces, translator)
        return StreamingResponse(stream, headers={**sse.HEADERS, **kept}, media_type=sse.MEDIA_TYPE)
    body = json.loads(bytes(response.body))
    failed = response.status_code != 200
    translation = _error(body, translator) if failed else translator.whole(_completion(body))
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
                try:
                    for translated_event in _events(event, translator):
                        yield translated_event.encode()
                except UpstreamError as error:
                    for failure in translator.chunk(as_api_error(error).body):
                        yield failure.encode()
                    return


def _events(event: sse.Event, translator: Translator) -> Iterator[sse.Event]:
    if event.data == sse.DONE:
        return translator.done()
    return translator.chunk(_chunk(json.loads(event.data)))


def _completion(body: Any) -> dict[str, Any]:
    """Return a whole chat completion, if it has what translators read of one."""
    if not isinstance(body, dict) or not body.get("choices"):
        raise _no_completion()
    return _checked(body, "message")


def _chunk(payload: Any) -> dict[str, Any]:
    """Return a chunk or an error object, if it has what translators read of one."""
    if isinstance(payload, dict) and "choices" not in payload:
        if isinstance(payload.get("error", {}), dict):
            return payload
        raise _no_completion()
    return _checked(payload, "delta")


def _checked(payload: Any, part: str) -> dict[str, Any]:
    choices = payload.get("choices") if isinstance(payload, dict) else None
    if not isinstance(choices, list) or not all(_is_choice(c, part) for c in choices):
        raise _no_completion()
    checked: dict[str, Any] = payload
    return checked


def _is_choice(choice: Any, part: str) -> bool:
    written = choice.get(part) if isinstance(choice, dict) else None
    if not isinstance(written, dict):
        return False
    texts = (written.get("content"), choice.get("finish_reason"))
    return all(text is None or isinstance(text, str) for text in texts)


def _no_completion() -> UpstreamError:
    return UpstreamError("the server's answer is not a chat completion")


def event_of(payload: dict[str, Any], name: str = "") -> sse.Event:
    """Return a JSON payload as an event."""
    return sse.Event(json.dumps(payload, ensure_ascii=False, separators=(",", ":")), name)


def copied(body: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of a request that have the same name and meaning in a chat request."""
    return {name: body[name] for name in names if body.get(name) is not None}


def unsupported(name: str, reason: str = "is not supported") -> ApiError:
    """Return the error for a field that the endpoint does not offer."""
    return ApiError(400, f"`{name}`: {reason}", code="unsupported_parameter", param=name)
