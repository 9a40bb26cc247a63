"""A FastAPI application with our error contract; every service starts from it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import APIRouter, FastAPI

from sage_rag.common.web import errors
from sage_rag.common.web.openapi import ERRORS


def service_app(
    services: object, *routers: APIRouter, close: Callable[[], Awaitable[None]]
) -> FastAPI:
    """Return an application with `/healthz` and the given routes; `close` runs when it ends.

    Routes read `services` from `request.app.state.services`. There is no interactive
    documentation, because its page loads scripts from other hosts.
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
    return app


async def _alive() -> dict[str, str]:
    return {"status": "alive"}
