"""Run an application under uvicorn: bind, report when it is ready, shut down cleanly."""

from __future__ import annotations

import errno
import ipaddress
import json
import logging
import math
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import uvicorn
from starlette.types import ASGIApp

from sage_rag.common.exceptions import InputError
from sage_rag.common.web.protocol import LimitedProtocol
from sage_rag.common.web.supervisor import Supervisor

_BACKLOG = 2048
_MAX_CONNECTIONS = 1024
_END_S = 5.0
"""How long a process may take to end after its open requests."""
LOOP: Literal["asyncio", "uvloop"] = "asyncio" if sys.platform == "win32" else "uvloop"
"""The event loop; uvloop does not run on Windows."""


@dataclass(frozen=True, slots=True)
class Serving:
    """Where and how an application is served.

    Port 0 picks a free one. `tls`: PEM files with a certificate chain and its key. `drain_s`: how
    long open requests may continue after SIGTERM; new ones are refused at once.
    """

    host: str
    port: int
    tls: tuple[Path, Path] | None = None
    json_logs: bool = False
    drain_s: float = 5.0


def run_server(app: ASGIApp, serving: Serving, ready: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; call `ready` with the address once connections are accepted.

    Raises:
        InputError: when the address cannot be bound, or the certificate cannot be read.
    """
    context = _tls_context(serving)
    listener = bind(serving.host, serving.port)
    configure_logging(as_json=serving.json_logs)
    announce = partial(address_of, listener, tls=context is not None)
    server = _Server(app, lambda: ready(announce()), serving.drain_s, context)
    with listener, _quiet_sigterm():
        server.run(sockets=[listener])


def run_workers(
    count: int, app_of: Callable[[int], ASGIApp], serving: Serving, ready: Callable[[str], None]
) -> None:
    """Serve as `run_server` does, with `count` processes; each makes its own application.

    `app_of` gets the number of the process, from 1. The processes share what memory exists before.
    Each listens on a socket of its own at one address, and the kernel divides new connections among
    them by the clients' ports: from one shared socket, a process that runs takes a whole burst.

    Raises:
        InputError: as `run_server`.
        SystemExit: as `Supervisor.run`.
    """
    context = _tls_context(serving)
    with bind(
        serving.host, serving.port
    ) as free:  # not shared: it fails where another program listens
        place = free.getsockname()[:2]
    reserved = _shared_socket(*place)
    configure_logging(as_json=serving.json_logs)

    def serve(number: int, accepts: Callable[[], object]) -> None:
        app = app_of(number)
        with _shared_socket(*place) as listener, _quiet_sigterm():
            _Server(app, accepts, serving.drain_s, context).run(sockets=[listener])

    with reserved:
        address = address_of(reserved, tls=context is not None)
        Supervisor(count, serve, end_s=serving.drain_s + _END_S).run(lambda: ready(address))


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    Raises:
        InputError: names host, port and a remedy.
    """
    with _named(host, port):
        listener = _bound(host, port, socket.SO_REUSEADDR)
        try:
            listener.listen(_BACKLOG)
        except OSError:
            listener.close()
            raise
        return listener


def _shared_socket(host: str, port: int) -> socket.socket:
    """Return a socket at an address that other processes of this user may share."""
    with _named(host, port):
        return _bound(host, port, socket.SO_REUSEADDR, socket.SO_REUSEPORT)


@contextmanager
def _named(host: str, port: int) -> Iterator[None]:
    """Turn an error of the system into one that names host, port and a remedy."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise InputError(
                f"port {port} on {host} is in use",
                hint="stop the program that uses it, or set another --port (0 picks a free one)",
            ) from None
        raise InputError(f"cannot listen on {host} port {port}: {error.strerror}") from None


def _bound(host: str, port: int, *options: int) -> socket.socket:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    family, kind, protocol, _, address = found[0]
    # Asyncio disables Nagle's algorithm only if the protocol is named. Without that, every
    # answer waits about 40 ms for the client's delayed acknowledgement.
    bound = socket.socket(family, kind, protocol)
    try:
        for option in options:
            bound.setsockopt(socket.SOL_SOCKET, option, 1)
        bound.bind(address)
    except OSError:
        bound.close()
        raise
    return bound


def address_of(listener: socket.socket, *, tls: bool = False) -> str:
    """Return the URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    scheme = "https" if tls else "http"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def _tls_context(serving: Serving) -> ssl.SSLContext | None:
    if serving.tls is None:
        return None
    certificate, key = serving.tls
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError):
        raise InputError(
            f"`{certificate}` and `{key}` are not a certificate and its key in PEM files"
        ) from None
    return context


def is_loopback(host: str) -> bool:
    """Return whether a host name or address can only mean this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def configure_logging(*, as_json: bool = False) -> None:
    """Log to stderr, for us and the web server, without tracebacks; `as_json`: one object a line.

    A traceback or a log line of an HTTP client may contain a question or an address.
    """
    handler = logging.StreamHandler()
    layout = "%(asctime)s %(levelname)s %(message)s"
    handler.setFormatter((_TerseJson if as_json else _Terse)(layout, "%Y-%m-%dT%H:%M:%S%z"))
    # No line names a thread, a process or a task, and each would be looked up for every line.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    for name, level in (("sage_rag", logging.INFO), ("uvicorn.error", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
    logging.getLogger("asyncio").handlers = [handler]
    logging.getLogger("asyncio").propagate = False
    for name in ("httpx", "httpx2", "httpcore", "httpcore2", "openai"):
        logging.getLogger(name).setLevel(logging.WARNING)


class _Terse(logging.Formatter):
    """Write the type of an exception, without its message and traceback."""

    def format(self, record: logging.LogRecord) -> str:
        record.message = record.getMessage().strip()
        record.asctime = self.formatTime(record, self.datefmt)
        kind = record.exc_info[0] if record.exc_info else None
        return self.formatMessage(record) + (f" ({kind.__name__})" if kind else "")


class _TerseJson(_Terse):
    """Write a log record as a JSON object."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        fields = {"time": record.asctime, "level": record.levelname, "message": record.message}
        return json.dumps(fields, ensure_ascii=False)


class _Server(uvicorn.Server):
    def __init__(
        self, app: ASGIApp, ready: Callable[[], object], drain_s: float, tls: ssl.SSLContext | None
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,  # its lines contain addresses
                proxy_headers=False,
                server_header=False,
                ws="none",
                loop=LOOP,
                http=LimitedProtocol,
                limit_concurrency=_MAX_CONNECTIONS,
                backlog=_BACKLOG,
                timeout_graceful_shutdown=max(1, math.ceil(drain_s)),
                ssl_context_factory=None if tls is None else lambda *_: tls,
            )
        )
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


@contextmanager
def _quiet_sigterm() -> Iterator[None]:
    """Let SIGTERM end the process with status 0.

    Uvicorn shuts down gracefully and then raises the signal again for the previous handler; the
    default handler would kill the process.
    """
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
