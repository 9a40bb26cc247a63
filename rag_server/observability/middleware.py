"""Middleware that counts and traces every request and writes it to the audit log."""

from __future__ import annotations

import time
import uuid

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sage_rag.common.web.errors import error_response
from sage_rag.rag_server.access.gate import Caller
from sage_rag.rag_server.observability.audit import AuditLog, AuditUnavailableError, RequestNotes
from sage_rag.rag_server.observability.metrics import Metrics

_UNAUDITED = frozenset({"/healthz", "/readyz", "/metrics", "/openapi.json"})
_DISCONNECTED = 499
"""The status of a request whose client left before the response began."""
_REQUEST_ID = "x-request-id"


def notes_of(request: Request) -> RequestNotes:
    """Return the notes of a request, which its route fills in."""
    notes: RequestNotes = request.state.notes
    return notes


class Observe:
    """Count requests by declared address and status, refused ones included.

    Each response has a random id in the header `x-request-id`, and its line of the audit log
    has it. An id that a client sends is not used: it could hold any text.
    """

    def __init__(self, app: ASGIApp, *, metrics: Metrics, audit: AuditLog | None) -> None:
        self._app = app
        self._metrics = metrics
        self._audit = audit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = _DISCONNECTED
        state = scope.setdefault("state", {})
        state["notes"] = notes = RequestNotes()
        started = time.perf_counter()
        request_id = f"req_{uuid.uuid4().hex}"

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[_REQUEST_ID] = request_id
            await send(message)

        if self._audit is not None and scope["path"] not in _UNAUDITED:
            try:
                self._audit.check()
            except AuditUnavailableError as failure:
                await error_response(failure)(scope, receive, watch)
                return

        try:
            with self._metrics.span("request") as span:
                try:
                    await self._app(scope, receive, watch)
                finally:
                    span.update_name(_declared_path(scope))
                    span.set_attribute("http.response.status_code", status)
        finally:
            took_s = time.perf_counter() - started
            path = _declared_path(scope)
            self._metrics.request(path, status, took_s)
            if self._audit is not None and path not in _UNAUDITED:
                caller: Caller = state.get("caller") or Caller()
                who = {"key": caller.id, "name": caller.name, "path": path}
                end = {"status": status, "ms": round(took_s * 1000)}
                self._audit.write({"request": request_id, **who, **end, **notes.as_json()})


def _declared_path(scope: Scope) -> str:
    """Return the address as its route declares it: a client's own path can contain any text."""
    return str(getattr(scope.get("route"), "path", "-"))
