"""The edge's HTTP client for the server; it sends only what it is given."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from sage_rag.common.exceptions import InputError, UpstreamError
from sage_rag.common.web import sse
from sage_rag.common.web.serving import is_loopback
from sage_rag.common.web.strict_json import parse_json
from sage_rag.rag_server.chat_request import IGNORED_HEADER
from sage_rag.rag_server.edge.transport import NetworkTransport, Reply, Transport

_MAX_ANSWER_BYTES = 32 * 1024 * 1024
_NAMES = re.compile(r"[a-z0-9_, .]{1,1005}")
_LENGTH = re.compile(r"[0-9]{1,18}")
_REDIRECTS = range(300, 400)


class Upstream:
    """Send requests to the server, without any header of the edge's clients."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def get(self, path: str) -> tuple[int, Any]:
        """Return status and JSON body of a GET request; raises as `post` does."""
        status, answer, _ = await _read(await self._send("GET", path, None))
        return status, answer

    async def post(self, path: str, request: Mapping[str, Any]) -> UpstreamResponse:
        """Send a pseudonymised request; return the response once its headers have arrived.

        Raises:
            UpstreamError: when the server cannot be reached, redirects, or does not send JSON.
        """
        reply = await self._send("POST", path, json.dumps(request, ensure_ascii=False).encode())
        kind = reply.header("content-type").partition(";")[0].strip().lower()
        if reply.status == 200 and kind == sse.MEDIA_TYPE:
            return UpstreamResponse(200, None, reply, _passed_on(reply))
        status, answer, size = await _read(reply)
        return UpstreamResponse(status, answer, None, _passed_on(reply), size)

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def _send(self, method: str, path: str, body: bytes | None) -> Reply:
        reply = await self._transport.send(method, path, body)
        if reply.status in _REDIRECTS:
            reply.close()
            raise UpstreamError(
                "the server redirects, which the edge does not follow",
                hint="set --server to the final address",
            )
        return reply


def server_at(
    server: str,
    *,
    api_key: SecretStr | None = None,
    ca: Path | None = None,
    timeout_s: float = 120.0,
) -> Upstream:
    """Return the server at an address; open no connection yet. `ca`: see `trusted`.

    Raises:
        InputError: when the address or `ca` cannot be used.
    """
    address, host = checked_address(server)
    headers = {"accept": "*/*", "accept-encoding": "identity", "user-agent": "sage-rag-edge"}
    if api_key is not None:
        headers["authorization"] = f"Bearer {api_key.get_secret_value()}"
    transport = NetworkTransport(
        address,
        headers,
        trusted=trusted(ca),
        timeout_s=timeout_s,
        proxies=not is_loopback(host),
    )
    return Upstream(transport)


def checked_address(server: str) -> tuple[str, str]:
    """Return a server's address without `/v1`, and its host.

    Raises:
        InputError: unless it is one of HTTP without a user and a password.
    """
    try:
        parts = urlsplit(server)
        host, _ = parts.hostname, parts.port  # a port that is no number raises
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https") or "@" in parts.netloc:
        raise InputError(
            "the server's address is not valid",
            hint="for example --server http://127.0.0.1:8000",
        )
    return server.rstrip("/").removesuffix("/v1"), host


async def _bounded(reply: Reply) -> AsyncGenerator[bytes, None]:
    """Yield the body, whole or streamed; raises where it is too long, at once if it says so."""
    size = 0
    announced = reply.header("content-length")
    if _LENGTH.fullmatch(announced) and int(announced) > _MAX_ANSWER_BYTES:
        raise AnswerTooLongError("the server's answer is too long")
    async with aclosing(reply.pieces()) as pieces:
        async for piece in pieces:
            size += len(piece)
            if size > _MAX_ANSWER_BYTES:
                raise AnswerTooLongError("the server's answer is too long")
            yield piece


async def _read(reply: Reply) -> tuple[int, Any, int]:
    """Return status, JSON body and size of a response."""
    content = bytearray()
    try:
        async with aclosing(_bounded(reply)) as pieces:
            async for piece in pieces:
                content += piece
    finally:
        reply.close()
    if reply.status in (401, 403):
        raise UpstreamError(
            "the server refuses the edge's API key",
            hint="start the edge with --server-api-key-file FILE (sage-rag token new)",
        )
    try:
        answer = parse_json(bytes(content))
    except ValueError:
        answer = None
    if answer is None or (reply.status >= 400 and not _is_error(answer)):
        raise _malformed(reply)
    return reply.status, answer, len(content)


def trusted(ca: Path | None) -> ssl.SSLContext | bool:
    """Return what a server's certificate is checked against: the PEM file `ca`, or the default.

    Raises:
        InputError: when the file holds no certificate.
    """
    if ca is None:
        return True
    try:
        return ssl.create_default_context(cafile=ca)
    except (OSError, ssl.SSLError):
        raise InputError(f"`{ca}` holds no certificate in PEM form") from None


class UpstreamResponse:
    """The server's response: a body of `size_bytes`, or an open stream."""

    def __init__(
        self,
        status: int,
        body: Any,
        reply: Reply | None,
        headers: Mapping[str, str] | None = None,
        size_bytes: int = 0,
    ) -> None:
        self.status = status
        self.body = body
        self.headers = dict(headers or {})
        self.size_bytes = size_bytes
        self._reply = reply

    @property
    def streams(self) -> bool:
        """Whether the response is a stream."""
        return self._reply is not None

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of the stream and close it at the end, also after an error."""
        if self._reply is None:
            return
        try:
            async with aclosing(_bounded(self._reply)) as pieces:
                async for piece in pieces:
                    yield piece
        finally:
            self._reply.close()


class AnswerTooLongError(UpstreamError):
    """The server's answer has more than 32 MiB."""


class UpstreamBusyError(UpstreamError):
    """A proxy in front of the server asks the edge to come back later."""

    http = 503, "upstream_busy"
    retry_after_s: float | None = None


def _is_error(answer: Any) -> bool:
    """Return whether a body is an error of our API, or the report of `/readyz`."""
    return isinstance(answer, dict) and (
        isinstance(answer.get("error"), dict) or "status" in answer
    )


def _malformed(reply: Reply) -> UpstreamError:
    """Return the error for an answer that is not the server's own."""
    status = reply.status
    if status in (429, 503):
        error = UpstreamBusyError(f"the server answered {status}", hint="ask again later")
        error.retry_after_s = _retry_after_s(reply)
        return error
    return UpstreamError(
        f"the server answered {status} without JSON",
        hint="is --server the address of a sage-rag server?",
    )


def _retry_after_s(reply: Reply) -> int | None:
    """Return the seconds after which the server can be asked again; a date is not passed on."""
    value = reply.header("retry-after")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 6 else None


def _passed_on(reply: Reply) -> dict[str, str]:
    """Return the headers that the edge's client gets from the server."""
    wait_s = _retry_after_s(reply)
    headers = {} if wait_s is None else {"retry-after": str(wait_s)}
    ignored = reply.header(IGNORED_HEADER)
    return {**headers, IGNORED_HEADER: ignored} if _NAMES.fullmatch(ignored) else headers
