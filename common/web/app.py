"""What server and edge have in common: an application with our error contract and no more."""

from __future__ import annotations

from fastapi import FastAPI

from sage_rag.common.web import errors


def bare_app(lifespan: errors.Lifespan) -> FastAPI:
    """Return an application with our error contract and without routes of its own."""
    app = FastAPI(
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        # Traces and metrics could carry addresses to wherever the environment points them.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    errors.install(app)
    return app
