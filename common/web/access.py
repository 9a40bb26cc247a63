"""Restrict a service to programs on this machine, and to no web page of another origin.

Otherwise a page in a browser could reach the loopback address, by a plain request or by DNS
rebinding, and read plain values.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from sage_rag.common.web.errors import ApiError, error_response
from sage_rag.common.web.serving import is_loopback


class LoopbackOnly:
    """Refuse requests whose Host or Origin is not this machine.

    `service` names the service in refusals. With `exposed`, any Host is accepted, because the
    service then has names that it does not know. `origins`: further web pages that may ask.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        service: str,
        exposed: bool,
        origins: frozenset[str] = frozenset(),
    ) -> None:
        self._app = app
        self._service = service
        self._exposed = exposed
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "http" and (reason := self._objection(Headers(scope=scope))):
            refusal = ApiError(403, f"{self._service} {reason}", code="forbidden")
            await error_response(refusal)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _objection(self, headers: Headers) -> str | None:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if not self._exposed and (len(hosts) != 1 or not _is_local(f"//{hosts[0]}")):
            return "answers to loopback names only"
        if any(not _is_local(origin) for origin in origins if origin not in self._origins):
            return "does not answer web pages of other origins"
        return None


def _is_local(address: str) -> bool:
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return False
    return host is not None and parts.username is None and is_loopback(host)
