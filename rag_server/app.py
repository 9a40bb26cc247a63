"""The server: an OpenAI-compatible API over published corpora. It holds no key."""

from __future__ import annotations

import asyncio

from fastapi import FastAPI

from sage_rag.common.web.app import service_app
from sage_rag.rag_server.routes import chat, health, models
from sage_rag.rag_server.services import Services


def create_app(services: Services) -> FastAPI:
    """Return the server's application over the given services; it closes them when it ends."""

    async def close() -> None:
        await services.answerer.close()
        await asyncio.to_thread(services.corpora.close)
        services.searches.close()
        services.control.close()

    return service_app(services, models.router, chat.router, health.router, close=close)
