"""A FastAPI application with our error contract; every service starts from it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import APIRouter, FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from sage_rag.common.web import errors
from sage_rag.common.web.openapi import ERRORS

Endpoint = Callable[[Request], Awaitable[Response]]


def service_app(
    services: object,
    *routers: APIRouter,
    close: Callable[[], Awaitable[None]],
    direct: Mapping[str, Endpoint] | None = None,
) -> FastAPI:
    """Return an application with `/healthz` and the given routes; `close` runs when it ends.

    Routes read `services` from `request.app.state.services`. `direct`: for some addresses of the
    routers, what answers a POST without FastAPI's parameters and dependencies, in less time. There
    is no interactive documentation, because its page loads scripts from other hosts.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await close()

    app = FastAPI(
        lifespan=lifespan,
        title="sage-rag",
        version=version("sage-rag"),
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses=ERRORS,
        # Traces and metrics could send addresses to a collector that the environment names.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    errors.install(app)
    app.state.services = services
    app.get("/healthz")(_alive)
    for router in routers:
        app.include_router(router)
    plain = [
        _DirectRoute(path, answer, methods=["POST"]) for path, answer in (direct or {}).items()
    ]
    app.router.routes[:0] = plain  # the first route that matches answers
    app.add_middleware(_AnswerHead)
    return app


class _AnswerHead:
    """Answers HEAD as GET; the web server leaves out the body. Checks of health often ask so."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        is_head = scope["type"] == "http" and scope["method"] == "HEAD"
        await self._app({**scope, "method": "GET"} if is_head else scope, receive, send)


class _DirectRoute(Route):
    """A route that names itself in the scope of its requests, as FastAPI's own do."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return how the route matches a request."""
        match, found = super().matches(scope)
        return match, {**found, "route": self}


async def _alive() -> dict[str, str]:
    return {"status": "alive"}
