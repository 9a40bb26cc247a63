"""The edge: the server's API for clients with plain text; the server receives ciphertext."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import JSONResponse, Response

from sage_rag.common.exceptions import SageRagError
from sage_rag.common.web.access import LoopbackOnly
from sage_rag.common.web.app import service_app
from sage_rag.common.web.cors import add_cors
from sage_rag.common.web.errors import ApiError, as_api_error
from sage_rag.common.web.openapi import request_body
from sage_rag.common.web.requests import read_json, until_disconnect
from sage_rag.rag_server.access.gate import RequireKey, caller_of
from sage_rag.rag_server.adapters.embeddings import EmbeddingsRequest, parse_embeddings
from sage_rag.rag_server.adapters.routes import chat_forms
from sage_rag.rag_server.chat_request import (
    IGNORED_HEADER,
    ChatRequest,
    ignored_header,
    refuse_what_is_not_offered,
    unknown_fields,
)
from sage_rag.rag_server.edge.exchange import answer_chat
from sage_rag.rag_server.edge.pseudonymize import pseudonymize_request
from sage_rag.rag_server.edge.services import EdgeServices
from sage_rag.rag_server.observability import metrics
from sage_rag.rag_server.observability.audit import RequestNotes
from sage_rag.rag_server.observability.middleware import Observe, notes_of
from sage_rag.rag_server.side_calls import side_answer

_CHAT = "/v1/chat/completions"
router = APIRouter()


def create_edge_app(services: EdgeServices) -> FastAPI:
    """Return the edge's application over the given services; it closes them when it ends."""

    async def close() -> None:
        services.work.close()
        services.control.close()
        await services.upstream.close()

    routers = (router, chat_forms(_read, _answered), metrics.router)
    app = service_app(services, *routers, close=close, direct={_CHAT: chat_completions})
    app.add_middleware(RequireKey, gate=services.gate)
    add_cors(app, services.cors_origins)
    app.add_middleware(
        LoopbackOnly,
        service="the edge",
        exposed=services.exposed,
        origins=frozenset(services.cors_origins),
    )
    app.add_middleware(Observe, metrics=services.metrics, audit=services.audit)
    services.metrics.watch_pool("work", lambda: services.work.pending)
    services.metrics.watch_pool("control", lambda: services.control.pending)
    services.metrics.watch_restored(services.keyring.restored)
    return app


@router.get("/readyz")
async def ready(request: Request) -> JSONResponse:
    """Return 200 if the server is ready for this edge, else 503 with reasons."""
    services = _services(request)
    details: dict[str, Any]
    try:
        if services.audit is not None:
            await services.control.run(services.audit.check)
        status, body = await services.upstream.get("/readyz")
        if status == 200:  # it is open to all; a question needs the edge's key
            await services.upstream.get("/v1/models")
        works, details = status == 200, {"server": body}
    except SageRagError as error:
        works, details = False, {"reasons": [as_api_error(error).message]}
    answer = {"status": "ready" if works else "not ready"}
    # The server names its corpora to the edge's key, not to everyone who reaches the edge.
    shown = answer | details if caller_of(request).scopes else answer
    return JSONResponse(shown, 200 if works else 503)


@router.get("/v1/models")
async def list_models(request: Request) -> JSONResponse:
    """Return the server's list of corpora."""
    status, body = await _services(request).upstream.get("/v1/models")
    return JSONResponse(body, status)


@router.get("/v1/models/{model}")
async def get_model(request: Request, model: str) -> JSONResponse:
    """Return the server's description of one corpus."""
    _services(request).keyring.for_model(model)  # any other text must not leave
    status, body = await _services(request).upstream.get(f"/v1/models/{model}")
    return JSONResponse(body, status)


@router.post("/v1/pseudonymize")
async def pseudonymize(request: Request) -> dict[str, Any]:
    """Return what the edge would send of a question: `{"model", "input"}` to `{"output"}`.

    `search_words`, `search_tokens` and `named_people` of the answer: the blind words, and the
    tokens of the index, that it would send with the question.
    """
    services = _services(request)
    body = await _read(request)
    if not isinstance(text := body.get("input"), str):
        raise ApiError(400, "`input` must be a string", code="invalid_value", param="input")
    services.limits.check_question(text)
    keys = await services.keys_of(body.get("model"))
    chat = {"model": keys.corpus, "messages": [{"role": "user", "content": text}]}
    sent = await services.work.run(pseudonymize_request, chat, keys)
    named = {"named_people": sent["named_people"]} if "named_people" in sent else {}
    return {
        "output": sent["messages"][0]["content"],
        "search_words": sent.get("search_words", []),
        "search_tokens": sent.get("search_tokens", []),
        **named,
    }


@router.post(_CHAT, openapi_extra=request_body(ChatRequest))
async def chat_completions(request: Request) -> Response:
    """Pseudonymise the request, ask the server, restore its answer."""
    return await _answered(request, await _read(request))


@router.post("/v1/embeddings", openapi_extra=request_body(EmbeddingsRequest))
async def embeddings(request: Request) -> Response:
    """Pseudonymise texts and return the server's vectors of them."""
    services = _services(request)
    body = await _read(request)
    asked = parse_embeddings(body)
    services.limits.check_texts(asked.texts)
    response = await until_disconnect(request, _embedded(services, asked, notes_of(request)))
    if unknown := unknown_fields(body, EmbeddingsRequest.model_fields):
        response.headers[IGNORED_HEADER] = ignored_header(unknown)
    return response


async def _embedded(
    services: EdgeServices, asked: EmbeddingsRequest, notes: RequestNotes
) -> Response:
    keys = await services.keys_of(asked.model)

    def hidden() -> list[str]:
        return [keys.pseudonymize(text) for text in asked.texts]

    sent: dict[str, Any] = {"model": asked.model, "input": await services.work.run(hidden)}
    for name in ("encoding_format", "dimensions"):
        if (value := getattr(asked, name)) is not None:
            sent[name] = value
    answer = await services.upstream.post("/v1/embeddings", sent)
    notes.version = keys.corpus if answer.status == 200 else "-"  # else a client's own text
    return JSONResponse(answer.body, answer.status, headers=answer.headers)


async def _answered(request: Request, body: dict[str, Any]) -> Response:
    services = _services(request)
    services.limits.check_conversation(body)
    if (aside := side_answer(body, request.headers.get("x-task"))) is not None:
        return aside
    services.limits.check_last_message(body)
    refuse_what_is_not_offered(body)
    return await until_disconnect(request, answer_chat(services, body, notes_of(request)))


async def _read(request: Request) -> dict[str, Any]:
    limits = _services(request).limits
    return await read_json(request, limits.body_bytes, limits.body_s)


def _services(request: Request) -> EdgeServices:
    services: EdgeServices = request.app.state.services
    return services
