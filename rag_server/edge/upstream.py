"""The edge's HTTP client for the server; it sends only what it is given."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from pydantic import SecretStr

from sage_rag.common.exceptions import InputError, UpstreamError, UpstreamTimeoutError
from sage_rag.common.web import sse
from sage_rag.common.web.serving import is_loopback
from sage_rag.rag_server.chat_request import IGNORED_HEADER

_CONNECT_TIMEOUT_S = 5.0
_MAX_ANSWER_BYTES = 32 * 1024 * 1024
_NAMES = re.compile(r"[a-z0-9_, .]{1,400}")
_HINT = "is the server running? start it with: sage-rag serve --home DIR"


class Upstream:
    """Send requests to the server, without any header of the edge's clients."""

    def __init__(
        self,
        server: str,
        *,
        api_key: SecretStr | None = None,
        ca: Path | None = None,
        timeout_s: float = 120.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Open no connection yet. `ca`: see `trusted`; `transport` replaces the network.

        Raises:
            InputError: when the address or `ca` cannot be used.
        """
        parts = urlsplit(server)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            raise InputError(
                "the server's address is not valid",
                hint="for example --server http://127.0.0.1:8000",
            )
        headers = {"accept-encoding": "identity", "user-agent": "sage-rag-edge"}
        if api_key is not None:
            headers["authorization"] = f"Bearer {api_key.get_secret_value()}"
        self._client = httpx.AsyncClient(
            base_url=server.rstrip("/").removesuffix("/v1"),
            headers=headers,
            timeout=httpx.Timeout(timeout_s, connect=_CONNECT_TIMEOUT_S),
            follow_redirects=False,
            transport=transport,
            verify=trusted(ca),
            trust_env=not is_loopback(parts.hostname),
        )

    async def get(self, path: str) -> tuple[int, Any]:
        """Return status and JSON body of a GET request; raises as `chat` does."""
        with _translate_errors():
            return await self._read(await self._send("GET", path, None))

    async def post(self, path: str, request: Mapping[str, Any]) -> UpstreamResponse:
        """Send a pseudonymised request; return the response once its headers have arrived.

        Raises:
            UpstreamError: when the server cannot be reached, redirects, or does not send JSON.
        """
        with _translate_errors():
            response = await self._send("POST", path, request)
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if response.status_code == 200 and kind == sse.MEDIA_TYPE:
                return UpstreamResponse(200, None, response, _passed_on(response))
            status, answer = await self._read(response)
            return UpstreamResponse(status, answer, None, _passed_on(response))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _send(self, method: str, path: str, body: Mapping[str, Any] | None) -> httpx.Response:
        request = self._client.build_request(method, path, json=body)
        response = await self._client.send(request, stream=True)
        if response.is_redirect:
            await response.aclose()
            raise UpstreamError(
                "the server redirects, which the edge does not follow",
                hint="set --server to the final address",
            )
        return response

    async def _read(self, response: httpx.Response) -> tuple[int, Any]:
        content = bytearray()
        try:
            async for piece in response.aiter_bytes():
                content += piece
                if len(content) > _MAX_ANSWER_BYTES:
                    raise UpstreamError("the server's answer is too long")
        finally:
            await response.aclose()
        status = response.status_code
        if status in (401, 403):
            raise UpstreamError(
                "the server refuses the edge's API key",
                hint="start the edge with --server-api-key-file FILE (sage-rag token new)",
            )
        try:
            answer = json.loads(bytes(content))
        except (ValueError, RecursionError):
            answer = None
        if answer is None or (status >= 400 and not _is_error(answer)):
            raise _malformed(response)
        return status, answer


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


def unreachable(error: httpx.TransportError, hint: str) -> UpstreamError:
    """Return the error for a connection that was not made."""
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return UpstreamError(
            "the server's certificate is not trusted",
            hint="give its authority with --server-ca FILE",
        )
    return UpstreamError("the server cannot be reached", hint=hint)


class UpstreamResponse:
    """The server's response: a body, or an open stream."""

    def __init__(
        self,
        status: int,
        body: Any,
        response: httpx.Response | None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status = status
        self.body = body
        self.headers = dict(headers or {})
        self._response = response

    @property
    def streams(self) -> bool:
        """Whether the response is a stream."""
        return self._response is not None

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of the stream and close it at the end, also after an error."""
        if self._response is None:
            return
        try:
            with _translate_errors():
                async for piece in self._response.aiter_bytes():
                    yield piece
        finally:
            await self._response.aclose()


class UpstreamBusyError(UpstreamError):
    """A proxy in front of the server asks the edge to come back later."""

    http = 503, "upstream_busy"
    retry_after_s: float | None = None


def _is_error(answer: Any) -> bool:
    """Return whether a body is an error of our API, or the report of `/readyz`."""
    return isinstance(answer, dict) and (
        isinstance(answer.get("error"), dict) or "status" in answer
    )


def _malformed(response: httpx.Response) -> UpstreamError:
    """Return the error for an answer that is not the server's own."""
    status = response.status_code
    if status in (429, 503):
        error = UpstreamBusyError(f"the server answered {status}", hint="ask again later")
        error.retry_after_s = _retry_after_s(response)
        return error
    return UpstreamError(
        f"the server answered {status} without JSON",
        hint="is --server the address of a sage-rag server?",
    )


def _retry_after_s(response: httpx.Response) -> int | None:
    """Return the seconds after which the server can be asked again; a date is not passed on."""
    value = response.headers.get("retry-after", "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 6 else None


def _passed_on(response: httpx.Response) -> dict[str, str]:
    """Return the headers that the edge's client gets from the server."""
    wait_s = _retry_after_s(response)
    headers = {} if wait_s is None else {"retry-after": str(wait_s)}
    ignored = response.headers.get(IGNORED_HEADER, "")
    return {**headers, IGNORED_HEADER: ignored} if _NAMES.fullmatch(ignored) else headers


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except httpx.TimeoutException:
        raise UpstreamTimeoutError("the server took too long to answer", hint=_HINT) from None
    except httpx.ConnectError as error:
        raise unreachable(error, hint=_HINT) from None
    except httpx.HTTPError:
        raise UpstreamError("the connection to the server broke", hint=_HINT) from None
