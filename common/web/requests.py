"""Request bodies: size-limited, parsed strictly, never quoted in errors."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

from sage_rag.common.web.errors import ApiError
from sage_rag.common.web.strict_json import parse_json

MAX_BODY_BYTES = 1024 * 1024
MAX_BODY_S = 30.0
T = TypeVar("T")


async def read_json(
    request: Request, limit_bytes: int = MAX_BODY_BYTES, limit_s: float = MAX_BODY_S
) -> dict[str, Any]:
    """Read a body of at most `limit_bytes` and return its JSON object.

    Raises:
        ApiError: 413 when it is longer, 408 when it takes longer, 400 when it is not a JSON object,
            415 when it is compressed.
    """
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise ApiError(415, "the request body must not be compressed", code="compressed_body")
    try:
        async with asyncio.timeout(limit_s):
            body = await _read(request, limit_bytes)
    except TimeoutError:
        message = f"the request was not sent within {limit_s:g} s"
        raise ApiError(408, message, code="request_timeout") from None
    return _parsed(body)


async def _read(request: Request, limit_bytes: int) -> bytes:
    too_long = ApiError(
        413, f"the request is longer than {limit_bytes} bytes", code="request_too_large"
    )
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit_bytes:
        raise too_long
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > limit_bytes:
            raise too_long
    return bytes(body)


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        parsed = parse_json(body)
    except ValueError:
        raise ApiError(400, "the request body is not valid JSON", code="invalid_json") from None
    if not isinstance(parsed, dict):
        raise ApiError(400, "the request body is not a JSON object", code="invalid_json")
    return parsed


async def until_disconnect(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Await work, but cancel it when the client disconnects.

    Raises:
        ClientDisconnect: when the client disconnects before the work is done.
    """
    task = asyncio.ensure_future(work)
    watch = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({task, watch}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise ClientDisconnect
    finally:
        watch.cancel()
        if not task.done():
            task.cancel()
            await asyncio.gather(task, watch, return_exceptions=True)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
