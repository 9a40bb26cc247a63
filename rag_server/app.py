"""The server: an OpenAI-compatible API over published corpora. It holds no key."""

from __future__ import annotations

import asyncio

from fastapi import FastAPI

from sage_rag.common.web.access import LoopbackOnly
from sage_rag.common.web.app import service_app
from sage_rag.common.web.cors import add_cors
from sage_rag.rag_server.access.gate import RequireKey
from sage_rag.rag_server.adapters.routes import chat_forms
from sage_rag.rag_server.observability import metrics
from sage_rag.rag_server.observability.middleware import Observe
from sage_rag.rag_server.routes import chat, embeddings, health, models, versions
from sage_rag.rag_server.services import Services


async def close_services(services: Services) -> None:
    """Release what the services hold."""
    await services.answerer.close()
    await asyncio.to_thread(services.corpora.close)
    services.searches.close()
    services.control.close()


def create_app(services: Services) -> FastAPI:
    """Return the server's application over the given services; it closes them when it ends."""
    modules = (models, chat, embeddings, versions, health, metrics)
    routers = [chat_forms(chat.read_body, chat.answer_body), *(m.router for m in modules)]
    direct = {chat.PATH: chat.chat_completions}
    app = service_app(services, *routers, close=lambda: close_services(services), direct=direct)
    app.add_middleware(RequireKey, gate=services.gate)
    if services.gate.is_open and "*" not in services.cors_origins:
        # A page could ask by DNS rebinding, for which its browser sees one origin. The Host may be
        # a proxy's.
        app.add_middleware(
            LoopbackOnly,
            service="a server without API keys",
            exposed=True,
            origins=frozenset(services.cors_origins),
        )
    add_cors(app, services.cors_origins)
    app.add_middleware(Observe, metrics=services.metrics, audit=services.audit)
    services.metrics.watch_pool("search", lambda: services.searches.pending)
    services.metrics.watch_pool("control", lambda: services.control.pending)
    return app
