"""Failures on the wire: every one becomes an OpenAI error object with a real 4xx or 5xx.

No message repeats what a client sent, and an unexpected exception tells its caller nothing:
errors end up in logs, and logs are not private.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from fastapi import FastAPI
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sage_rag.common.exceptions import (
    InputError,
    ProtectionError,
    SageRagError,
    UpstreamError,
    UpstreamTimeoutError,
)

log = logging.getLogger("sage_rag")

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


class UnknownModelError(InputError):
    """No corpus is served under the model name that was asked for."""


class CorpusUnavailableError(SageRagError):
    """A corpus is published but cannot be searched."""


class ApiError(Exception):
    """A failure as the client shall see it."""

    def __init__(
        self, status: int, message: str, *, code: str | None = None, param: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.param = param

    @property
    def body(self) -> dict[str, Any]:
        """The OpenAI error object."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        error = {"message": self.message, "type": kind, "param": self.param, "code": self.code}
        return {"error": error}


_STATUS: tuple[tuple[type[SageRagError], int, str], ...] = (
    (UpstreamTimeoutError, 504, "upstream_timeout"),
    (UpstreamError, 502, "upstream_error"),
    (ProtectionError, 500, "protection_failed"),
    (UnknownModelError, 404, "model_not_found"),
    (CorpusUnavailableError, 503, "corpus_unavailable"),
)


def as_api_error(error: Exception) -> ApiError:
    """Return what a client may know of a failure."""
    if isinstance(error, ApiError):
        return error
    for kind, status, code in _STATUS:
        if isinstance(error, kind):
            hint = f"; hint: {error.hint}" if error.hint else ""
            return ApiError(status, f"{error.message}{hint}", code=code)
    if isinstance(error, HTTPException):
        return _routing_error(error.status_code)
    log.error("internal error: %s", type(error).__name__)
    return ApiError(500, "the request failed for a reason on our side", code="internal_error")


def invalid_fields(error: ValidationError) -> ApiError:
    """Return a 400 that names the first field at fault, never its value."""
    first = error.errors(include_input=False, include_context=False, include_url=False)[0]
    where = ""
    for part in first["loc"]:
        where += f"[{part}]" if isinstance(part, int) else f".{part}" if where else str(part)
    return ApiError(400, f"`{where}`: {first['msg']}", code="invalid_value", param=where or None)


def _routing_error(status: int) -> ApiError:
    known = {404: ("there is nothing at this address", "not_found")}
    known[405] = ("this address does not answer to that method", "method_not_allowed")
    message, code = known.get(status, ("the request was refused", "refused"))
    return ApiError(status, message, code=code)


def error_response(error: Exception) -> JSONResponse:
    """Return the HTTP response for a failure."""
    shown = as_api_error(error)
    headers = getattr(error, "headers", None) if isinstance(error, HTTPException) else None
    return JSONResponse(shown.body, shown.status, headers=headers)


async def _handle(_: Request, error: Exception) -> JSONResponse:
    return error_response(error)


def install(app: FastAPI) -> None:
    """Give an application this error contract."""
    for kind in (ApiError, SageRagError, HTTPException):
        app.add_exception_handler(kind, _handle)
    app.add_middleware(ContainErrors)


class ContainErrors:
    """Answer 500 to whatever nothing else caught, and let it go no further.

    Passed on, the exception would reach the web server's log with its message and traceback,
    which may hold a question or an answer.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        started = False

        async def watch(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watch)
        except ClientDisconnect:
            log.info("client disconnected")
        except Exception as error:
            if scope["type"] != "http":
                raise
            response = error_response(error)
            if not started:
                await response(scope, receive, send)
