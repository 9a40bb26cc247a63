"""HTTP errors: every failure becomes an OpenAI error object with a status of 4xx or 5xx.

No message repeats what a client sent, and a client learns nothing about an unexpected exception:
errors are logged, and logs are not private.
"""

from __future__ import annotations

import asyncio
import logging
import math
import re
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sage_rag.common.exceptions import SageRagError
from sage_rag.common.web import sse

_TOO_MANY = 429
_UNION_MEMBER = re.compile(r"(?:str|int|float|bool)\Z|(?:list|dict|literal|constrained-\w+)\[")
"""What pydantic adds to the place of a fault for a member of a union, as in `stop.str`."""
log = logging.getLogger("sage_rag")


class ApiError(Exception):
    """A failure as the client sees it."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.param = param
        self.headers = dict(headers or {})

    @property
    def body(self) -> dict[str, Any]:
        """The OpenAI error object."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        kind = "rate_limit_error" if self.status == _TOO_MANY else kind
        error = {"message": self.message, "type": kind, "param": self.param, "code": self.code}
        return {"error": error}


_STOPPING = ApiError(
    503,
    "the service stops before this answer is complete; ask again later",
    code="stopping",
    headers={"retry-after": "5"},
)


def as_api_error(error: Exception) -> ApiError:
    """Return what a client may learn about a failure."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, SageRagError) and error.http is not None:
        status, code = error.http
        hint = f"; hint: {error.hint}" if error.hint else ""
        wait_s = getattr(error, "retry_after_s", None)
        headers = {} if wait_s is None else {"retry-after": str(math.ceil(wait_s))}
        return ApiError(status, f"{error.message}{hint}", code=code, headers=headers)
    if isinstance(error, HTTPException):
        return _routing_error(error)
    log.error("internal error: %s", type(error).__name__)
    return ApiError(500, "the service failed to process the request", code="internal_error")


def invalid_fields(error: ValidationError) -> ApiError:
    """Return a 400 that names the first invalid field, never its value."""
    first = error.errors(include_input=False, include_context=False, include_url=False)[0]
    where, message = "", first["msg"]
    for part in first["loc"]:
        if isinstance(part, str) and where and _UNION_MEMBER.match(part):
            message = "this type of value is not expected here"
            break
        where += f"[{part}]" if isinstance(part, int) else f".{part}" if where else str(part)
    return ApiError(400, f"`{where}`: {message}", code="invalid_value", param=where or None)


def _routing_error(error: HTTPException) -> ApiError:
    absent = "there is nothing at this address; the API is that of OpenAI, under /v1"
    known = {404: (absent, "not_found")}
    known[405] = ("this address does not support that method", "method_not_allowed")
    message, code = known.get(error.status_code, ("the request was refused", "refused"))
    return ApiError(error.status_code, message, code=code, headers=error.headers)


def error_response(error: Exception) -> JSONResponse:
    """Return the HTTP response for a failure."""
    failure = as_api_error(error)
    return JSONResponse(failure.body, failure.status, headers=failure.headers)


async def _handle(_: Request, error: Exception) -> JSONResponse:
    return error_response(error)


def install(app: FastAPI) -> None:
    """Give an application this error contract."""
    for kind in (ApiError, SageRagError, HTTPException):
        app.add_exception_handler(kind, _handle)
    app.add_middleware(ContainErrors)


class ContainErrors:
    """Answer 500 to every exception that nothing else caught, and stop it here.

    Otherwise the web server would log its message and traceback, which may contain a question or
    an answer. A request that a server cancels because it ends is answered with 503, or with an
    event of a stream that has begun.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        started = streams = False

        async def watch(message: Message) -> None:
            nonlocal started, streams
            if message["type"] == "http.response.start":
                started = True
                kind = Headers(raw=message["headers"]).get("content-type", "")
                streams = kind.startswith(sse.MEDIA_TYPE)
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
        except asyncio.CancelledError:
            if scope["type"] != "http" or (started and not streams):
                raise
            if started:
                await send({"type": "http.response.body", "body": sse.encode(_STOPPING.body)})
            else:
                await error_response(_STOPPING)(scope, receive, send)
