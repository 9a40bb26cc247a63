"""The server: an OpenAI-compatible API over published corpora. It holds no key."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from sage_rag.common.web.app import bare_app
from sage_rag.rag_server.routes import chat, health, models
from sage_rag.rag_server.services import Services


def create_app(services: Services) -> FastAPI:
    """Return the application over the given services; it closes them when it ends.

    No CORS headers, so no web page of another origin can read an answer; no interactive
    documentation, since its page would load scripts from elsewhere.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await services.answerer.close()
        await asyncio.to_thread(services.corpora.close)

    app = bare_app(lifespan)
    app.state.services = services
    for routes in (models, chat, health):
        app.include_router(routes.router)
    return app
