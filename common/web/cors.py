"""Cross-origin requests of web pages: refused unless an operator names the origin."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from sage_rag.common.web.errors import ApiError, error_response

_MAX_AGE_S = 600


def add_cors(app: FastAPI, origins: Sequence[str]) -> None:
    """Answer preflight requests, and let pages of these origins read answers; outermost.

    Credentials such as cookies are never allowed: a service does not use any.
    """
    if not origins:
        app.add_middleware(_RefusePreflight)
        return
    app.add_middleware(
        CORSMiddleware,
        allow_origins=list(origins),
        allow_methods=["GET", "POST"],
        allow_headers=["*"],
        expose_headers=["retry-after", "x-request-id", "x-sage-rag-ignored"],
        max_age=_MAX_AGE_S,
    )


class _RefusePreflight:
    """Answers preflight requests with a refusal that names the setting."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "OPTIONS":
            headers = Headers(scope=scope)
            if "origin" in headers and "access-control-request-method" in headers:
                refusal = ApiError(
                    403,
                    "web pages of other origins are refused; hint: the operator can allow one"
                    " with --cors-origin",
                    code="cors_refused",
                )
                await error_response(refusal)(scope, receive, send)
                return
        await self._app(scope, receive, send)
