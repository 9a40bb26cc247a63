"""`/v1/completions`, `/v1/responses` and `/v1/embeddings`."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from sage_rag.common.web.openapi import request_body
from sage_rag.common.web.requests import read_json, until_disconnect
from sage_rag.rag_server.access.gate import caller_of
from sage_rag.rag_server.adapters import completions, responses
from sage_rag.rag_server.adapters.embeddings import (
    EmbeddingsRequest,
    embeddings_body,
    parse_embeddings,
)
from sage_rag.rag_server.adapters.translate import translated
from sage_rag.rag_server.completions import count_tokens
from sage_rag.rag_server.limits import readable_length
from sage_rag.rag_server.observability.middleware import notes_of
from sage_rag.rag_server.routes.chat import answer_body
from sage_rag.rag_server.services import Services, services_of

router = APIRouter()


@router.post("/v1/completions", openapi_extra=request_body(completions.CompletionRequest))
async def text_completions(request: Request) -> Response:
    """Answer a prompt from the corpus that `model` names."""
    chat = completions.chat_of(await _read(request))
    return translated(await answer_body(request, chat), completions.CompletionTranslator())


@router.post("/v1/responses", openapi_extra=request_body(responses.ResponseRequest))
async def create_response(request: Request) -> Response:
    """Answer an input of text; the response is not stored."""
    body = await _read(request)
    answer = await answer_body(request, responses.chat_of(body))
    return translated(answer, responses.ResponseTranslator(body))


@router.post("/v1/embeddings", openapi_extra=request_body(EmbeddingsRequest))
async def embeddings(request: Request) -> Response:
    """Return the vectors of texts, by the embedder of the corpus that `model` names."""
    services = services_of(request)
    body = await _read(request)
    services.limits.check_texts(body, readable_length)
    asked = parse_embeddings(body)
    caller_of(request).spend(count_tokens(asked.texts))
    response = await until_disconnect(request, _embedded(services, asked))
    notes_of(request).version = asked.model
    return response


async def _embedded(services: Services, asked: EmbeddingsRequest) -> Response:
    vectors = await services.searches.run(services.corpora.embed, asked.model, asked.texts)
    return JSONResponse(embeddings_body(asked, vectors))


async def _read(request: Request) -> dict[str, Any]:
    limits = services_of(request).limits
    return await read_json(request, limits.body_bytes, limits.body_s)
