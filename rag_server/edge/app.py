"""The edge: the server's API for clients with plain text; the server receives ciphertext."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from sage_rag.common.exceptions import SageRagError, UpstreamError
from sage_rag.common.web import sse
from sage_rag.common.web.access import LoopbackOnly
from sage_rag.common.web.app import service_app
from sage_rag.common.web.cors import add_cors
from sage_rag.common.web.errors import ApiError, as_api_error
from sage_rag.common.web.requests import read_json, until_disconnect
from sage_rag.rag_server.access.gate import RequireKey
from sage_rag.rag_server.edge.keyring import CorpusKeys
from sage_rag.rag_server.edge.pseudonymize import pseudonymize_request
from sage_rag.rag_server.edge.restore import StreamRestorer, restore_body
from sage_rag.rag_server.edge.services import EdgeServices
from sage_rag.rag_server.edge.upstream import UpstreamResponse
from sage_rag.rag_server.limits import RequestLimits

router = APIRouter()
log = logging.getLogger("sage_rag")


def create_edge_app(services: EdgeServices) -> FastAPI:
    """Return the edge's application over the given services; it closes them when it ends."""

    async def close() -> None:
        services.work.close()
        await services.upstream.close()

    app = service_app(services, router, close=close)
    app.add_middleware(RequireKey, gate=services.gate)
    add_cors(app, services.cors_origins)
    app.add_middleware(
        LoopbackOnly,
        service="the edge",
        exposed=services.exposed,
        origins=frozenset(services.cors_origins),
    )
    return app


@router.get("/readyz")
async def ready(request: Request) -> JSONResponse:
    """Return 200 if the server is ready, else 503 with reasons."""
    try:
        status, body = await _services(request).upstream.get("/readyz")
    except SageRagError as error:
        reasons = [as_api_error(error).message]
        return JSONResponse({"status": "not ready", "reasons": reasons}, 503)
    works = status == 200
    return JSONResponse(
        {"status": "ready" if works else "not ready", "server": body}, 200 if works else 503
    )


@router.get("/v1/models")
async def list_models(request: Request) -> JSONResponse:
    """Return the server's list of corpora."""
    status, body = await _services(request).upstream.get("/v1/models")
    return JSONResponse(body, status)


@router.get("/v1/models/{model}")
async def get_model(request: Request, model: str) -> JSONResponse:
    """Return the server's description of one corpus."""
    keys = _services(request).keyring.for_model(model)
    status, body = await _services(request).upstream.get(f"/v1/models/{keys.corpus}")
    return JSONResponse(body, status)


@router.post("/v1/pseudonymize")
async def pseudonymize(request: Request) -> dict[str, str]:
    """Return what the edge would send of a text: `{"model", "input"}` to `{"output"}`."""
    services = _services(request)
    body = await _read(request, services.limits)
    keys = services.keyring.for_model(body.get("model"))
    if not isinstance(text := body.get("input"), str):
        raise ApiError(400, "`input` must be a string", code="invalid_value", param="input")
    services.limits.check_question(text)
    return {"output": await services.work.run(keys.pseudonymize, text)}


@router.post("/v1/chat/completions")
async def chat_completions(request: Request) -> Response:
    """Pseudonymise the request, ask the server, restore its answer."""
    services = _services(request)
    body = await _read(request, services.limits)
    services.limits.check(body)
    return await until_disconnect(request, _respond(services, body))


async def _respond(services: EdgeServices, body: dict[str, Any]) -> Response:
    started = time.monotonic()
    keys = services.keyring.for_model(body.get("model"))
    sent = await services.work.run(pseudonymize_request, body, keys)
    answer = await services.upstream.chat(sent)
    took = (time.monotonic() - started) * 1000
    # A model name is a client's text until the server confirms that it names a corpus.
    corpus = keys.corpus if answer.status == 200 else "-"
    log.info("edge corpus=%s status=%d ms=%d", corpus, answer.status, took)
    if answer.streams:
        stream = _stream(answer, keys)
        return StreamingResponse(stream, headers=sse.HEADERS, media_type=sse.MEDIA_TYPE)
    restored = await services.work.run(restore_body, answer.body, keys)
    _log_damage(keys)
    return JSONResponse(restored, answer.status, headers=answer.headers)


async def _stream(answer: UpstreamResponse, keys: CorpusKeys) -> AsyncGenerator[bytes, None]:
    restorer = StreamRestorer(keys)
    try:
        async with aclosing(answer.pieces()) as pieces:
            async for piece in pieces:
                restored = restorer.feed(piece)
                if restorer.finished:
                    _log_damage(keys)  # before the client reads the end and disconnects
                if restored:
                    yield restored
        yield restorer.flush()
        if not restorer.finished:
            raise UpstreamError("the server's answer ended early")
    except Exception as error:  # noqa: BLE001 - the status is already sent, so an event reports it
        yield restorer.flush()
        yield sse.encode(as_api_error(error).body)


def _log_damage(keys: CorpusKeys) -> None:
    if counts := keys.new_damage():
        log.warning("edge corpus=%s tokens since the start: %s", keys.corpus, counts)


async def _read(request: Request, limits: RequestLimits) -> dict[str, Any]:
    return await read_json(request, limits.body_bytes, limits.body_s)


def _services(request: Request) -> EdgeServices:
    services: EdgeServices = request.app.state.services
    return services
