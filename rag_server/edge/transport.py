"""How an edge reaches its server: over the network, or as an application in this process."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Protocol

import aiohttp
from starlette.types import ASGIApp, Message

from sage_rag.common.exceptions import UpstreamError, UpstreamTimeoutError

_CONNECT_TIMEOUT_S = 5.0
_KEPT_OPEN_S = 4.0
"""How long an unused connection is kept: less than our server keeps it, which is 5 s."""
_PIECES_WAITING = 16
"""Pieces of a body that wait for a slow client; a piece has at most 128 KiB."""
_HINT = "is the server running? start it with: sage-rag serve --home DIR"


class Reply(Protocol):
    """A response whose headers have arrived."""

    @property
    def status(self) -> int:
        """The status."""
        ...

    def header(self, name: str) -> str:
        """Return a header, or an empty text."""
        ...

    def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the body; raises as `Transport.send`."""
        ...

    def close(self) -> None:
        """Let go of the response. May be called twice."""
        ...


class Transport(Protocol):
    """Sends requests to a server."""

    async def send(self, method: str, path: str, body: bytes | None) -> Reply:
        """Send a request of JSON; return the response once its headers have arrived.

        Raises:
            UpstreamError: when the server cannot be reached, or the connection breaks.
        """
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class NetworkTransport:
    """Sends requests over HTTP. Redirects are not followed; cookies are not kept."""

    def __init__(
        self,
        address: str,
        headers: Mapping[str, str],
        *,
        trusted: ssl.SSLContext | bool,
        timeout_s: float,
        proxies: bool,
    ) -> None:
        """Open no connection yet. `timeout_s`: the longest wait for bytes."""
        self._address = address
        self._headers = dict(headers)
        self._trusted = trusted
        self._timeout_s = timeout_s
        self._proxies = proxies
        self._session: aiohttp.ClientSession | None = None

    async def send(self, method: str, path: str, body: bytes | None) -> Reply:
        """Send a request."""
        json = {} if body is None else {"content-type": "application/json"}
        with _translated(self._timeout_s):
            response = await self._opened().request(
                method, self._address + path, data=body, headers=json, allow_redirects=False
            )
        return NetworkReply(response, self._timeout_s)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    ssl=self._trusted, limit=0, keepalive_timeout=_KEPT_OPEN_S
                ),
                headers=self._headers,
                timeout=aiohttp.ClientTimeout(
                    total=None, sock_connect=_CONNECT_TIMEOUT_S, sock_read=self._timeout_s
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=self._proxies,
            )
        return self._session


class NetworkReply:
    """A response over HTTP.

    A task reads its body as it arrives: to a reader that comes after a broken connection, aiohttp
    does not give the bytes that arrived before the break.
    """

    def __init__(self, response: aiohttp.ClientResponse, timeout_s: float) -> None:
        self._response = response
        self._timeout_s = timeout_s
        self.status = response.status
        self._arrived: asyncio.Queue[bytes | Exception] = asyncio.Queue(_PIECES_WAITING)
        content = response.content
        if content.exception() is None and (begun := content.read_nowait()):
            self._arrived.put_nowait(begun)
        self._reading = asyncio.create_task(self._read())

    def header(self, name: str) -> str:
        """Return a header, or an empty text."""
        return self._response.headers.get(name, "")

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it arrives."""
        with _translated(self._timeout_s):
            while piece := await self._arrived.get():
                if isinstance(piece, Exception):
                    raise piece
                yield piece

    def close(self) -> None:
        """Give the connection back if the body is read to its end, else close it."""
        self._reading.cancel()
        if self._response.content.at_eof():
            self._response.release()
        else:
            self._response.close()

    async def _read(self) -> None:
        """Queue the pieces of the body, then an empty piece or the error that ended it."""
        end: bytes | Exception = b""
        try:
            while piece := await self._next():
                await self._arrived.put(piece)
        except Exception as error:  # noqa: BLE001 - whatever ends the body must end its reader
            end = error
        await self._arrived.put(end)

    async def _next(self) -> bytes:
        # aiohttp's own limit does not hold after a chunk that it cannot read.
        async with asyncio.timeout(self._timeout_s):
            return await self._response.content.readany()


class AppTransport:
    """Sends requests to an application in this process; its pieces arrive as it writes them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def send(self, method: str, path: str, body: bytes | None) -> Reply:
        """Send a request."""
        reply = AppReply(self._app, method, path, body or b"")
        try:
            await reply.begin()
        except BaseException:
            reply.close()
            raise
        return reply

    async def close(self) -> None:
        """Nothing is open."""


class AppReply:
    """A response of an application in this process."""

    def __init__(self, app: ASGIApp, method: str, path: str, body: bytes) -> None:
        self.status = 0
        self._headers: dict[str, str] = {}
        self._messages: asyncio.Queue[Message | None] = asyncio.Queue()
        self._request: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        self._task = asyncio.ensure_future(self._run(app, _scope(method, path, len(body))))

    async def begin(self) -> None:
        """Wait for the headers."""
        message = await self._messages.get()
        if message is None:
            raise UpstreamError("the local index gave no answer")
        self.status = message["status"]
        self._headers = {k.decode().lower(): v.decode("latin-1") for k, v in message["headers"]}

    def header(self, name: str) -> str:
        """Return a header, or an empty text."""
        return self._headers.get(name, "")

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it is written."""
        while (message := await self._messages.get()) is not None:
            if piece := message.get("body", b""):
                yield piece
            if not message.get("more_body", False):
                return
        raise UpstreamError("the local index stopped its answer")

    def close(self) -> None:
        """End the request, as a client that disconnects does."""
        self._task.cancel()

    async def _run(self, app: ASGIApp, scope: dict[str, object]) -> None:
        with suppress(Exception):  # it was logged; the answer ends early
            await app(scope, self._receive, self._messages.put)
        await self._messages.put(None)

    async def _receive(self) -> Message:
        if self._request:
            return self._request.pop()
        await asyncio.Event().wait()  # the client stays until it closes the reply
        raise AssertionError


def _scope(method: str, path: str, length: int) -> dict[str, object]:
    place, _, query = path.partition("?")
    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": place,
        "raw_path": place.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [*headers, (b"content-length", str(length).encode())],
        "client": ("127.0.0.1", 0),
        "server": ("127.0.0.1", 80),
    }


@contextmanager
def _translated(timeout_s: float) -> Iterator[None]:
    try:
        yield
    except aiohttp.ConnectionTimeoutError:
        message = f"the server cannot be reached within {_CONNECT_TIMEOUT_S:g} s"
        raise UpstreamTimeoutError(message, hint=_HINT) from None
    except TimeoutError:
        raise too_slow(timeout_s) from None
    except (aiohttp.ClientConnectorError, aiohttp.ClientConnectorCertificateError) as error:
        raise unreachable(error) from None
    except aiohttp.ClientError:
        raise UpstreamError("the connection to the server broke", hint=_HINT) from None


def too_slow(timeout_s: float) -> UpstreamTimeoutError:
    """Return the error for a server that sent nothing for some seconds."""
    return UpstreamTimeoutError(
        f"the server did not answer within {timeout_s:g} s",
        hint="give it more time with: sage-rag edge --timeout-s SECONDS",
    )


def unreachable(error: Exception, hint: str = _HINT) -> UpstreamError:
    """Return the error for a connection that was not made."""
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return UpstreamError(
            "the server's certificate is not trusted",
            hint="give its authority with --server-ca FILE",
        )
    return UpstreamError("the server cannot be reached", hint=hint)
