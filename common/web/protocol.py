"""HTTP/1.1 for uvicorn: parsed by httptools, with limits that this parser does not have."""

from __future__ import annotations

import asyncio
import json

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sage_rag.common.web.errors import ApiError

_MAX_HEADER_BYTES = 32 * 1024
_MAX_HEADER_S = 10.0
"""How long a client may take to send the headers of a request, and a new connection to begin."""
_MOST_PIPELINED = 8
"""Requests of a connection that may wait for the one before them."""
_FRAMING = frozenset((b"content-length", b"transfer-encoding"))
_REFUSAL = "the request is no valid HTTP/1.1, or its headers have more than 32 KiB"


class _RefusedError(Exception):
    """Stops the parser: it reports every exception of its callbacks as an invalid request."""


class LimitedProtocol(HttpToolsProtocol):
    """HTTP/1.1 with a limit of size and time for all that is not the body of a request.

    Headers of more than 32 KiB are refused with 400, as are a request of HTTP/1.1 without exactly
    one Host, more than 8 requests that wait on one connection, and 32 KiB of chunk sizes and
    trailers without a byte of a body between them. Trailers are ignored. A connection is closed
    where headers, or the rest of a body after its answer, take longer than 10 s. An offer to change
    the protocol is ignored: the request is answered as one of HTTP/1.1, with its body.

    Does not guarantee: a limit of size or time for bodies; the application has it.
    """

    _headers_due: asyncio.TimerHandle | None = None
    _in_headers = False
    _resumes = False
    """Whether the parser is fed the headers of a request again, without the offer."""
    _progressed = False
    _framing_bytes = 0
    """Bytes received since the last headers or body."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the limit of a new connection."""
        super().connection_made(transport)
        self._limit_headers(True)

    def data_received(self, data: bytes) -> None:
        """Read bytes; start or end the limit of the headers that they begin or complete."""
        self._unset_keepalive_if_required()
        self._progressed = False
        try:
            self._feed(data)
        except httptools.HttpParserError:
            self._refuse()
            return
        self._framing_bytes = 0 if self._progressed else self._framing_bytes + len(data)
        if self._framing_bytes > _MAX_HEADER_BYTES:
            self._refuse()
            return
        self._limit_headers(self._in_headers or self._is_idle())

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the connection."""
        self._limit_headers(False)
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """Begin a request."""
        if not self._resumes:
            self._in_headers = True
            super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Read a part of the address."""
        if not self._resumes:
            super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Read a header; a trailer does not become one."""
        if self._in_headers:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the request, unless it is refused."""
        if self._resumes:
            self._resumes = False
            return
        self._check()
        super().on_headers_complete()
        self._in_headers = False
        self._progressed = True

    def on_body(self, body: bytes) -> None:
        """Read a part of the body."""
        self._progressed = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End the request; after an offer to change the protocol, its body is still to come."""
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def _check(self) -> None:
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        hosts = sum(name == b"host" for name, _ in self.headers)
        is_named = hosts == 1 or (not hosts and self.parser.get_http_version() == "1.0")
        is_tunnel = self.parser.get_method() == b"CONNECT"
        waits = len(self.pipeline) >= _MOST_PIPELINED
        if size > _MAX_HEADER_BYTES or not is_named or is_tunnel or waits:
            raise _RefusedError

    def _feed(self, data: bytes) -> None:
        while True:
            try:
                self.parser.feed_data(data)
                return
            except httptools.HttpParserUpgrade as offer:
                data = data[offer.args[0] :]
                self._ignore_offer()

    def _ignore_offer(self) -> None:
        """Read the body of a request that offers another protocol.

        The parser takes the offer for accepted, and the body for bytes of the other protocol.
        """
        found = (b"%s: %s\r\n" % header for header in self.headers if header[0] in _FRAMING)
        head = b"".join((b"POST / HTTP/1.1\r\n", *found, b"\r\n"))
        self.parser = httptools.HttpRequestParser(self)
        self._resumes = True
        self.parser.feed_data(head)

    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _refuse(self) -> None:
        """Close the connection, with 400 if that cannot be read as a part of another answer."""
        self.logger.warning(_REFUSAL)
        answerable = self._is_idle() if self._in_headers else not self._has_answered()
        if answerable:
            self.send_400_response(_REFUSAL)
        else:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Answer 400 with an error object, as the application's errors have, and close."""
        body = json.dumps(ApiError(400, msg, code="invalid_http").body).encode()
        head = (
            "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()

    def _has_answered(self) -> bool:
        return self.cycle is not None and self.cycle.response_started

    def _limit_headers(self, awaited: bool) -> None:
        if awaited and self._headers_due is None:
            self._headers_due = self.loop.call_later(_MAX_HEADER_S, self.transport.close)
        elif not awaited and self._headers_due is not None:
            self._headers_due.cancel()
            self._headers_due = None
