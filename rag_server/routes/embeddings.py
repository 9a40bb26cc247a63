"""`/v1/embeddings`: vectors by the embedder of a corpus."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from sage_rag.common.web.openapi import request_body
from sage_rag.common.web.requests import until_disconnect
from sage_rag.indexer.protocols import Vectors
from sage_rag.rag_server.adapters.embeddings import (
    EmbeddingsRequest,
    check_dimensions,
    embeddings_body,
    parse_embeddings,
)
from sage_rag.rag_server.chat_request import IGNORED_HEADER, ignored_header, unknown_fields
from sage_rag.rag_server.completions import CompletionUsage, count_tokens
from sage_rag.rag_server.limits import readable_length
from sage_rag.rag_server.observability.middleware import notes_of
from sage_rag.rag_server.routes.chat import read_body
from sage_rag.rag_server.routes.spending import spending_of
from sage_rag.rag_server.services import Services, services_of

router = APIRouter()


@router.post("/v1/embeddings", openapi_extra=request_body(EmbeddingsRequest))
async def embeddings(request: Request) -> Response:
    """Return the vectors of texts, by the embedder of the corpus that `model` names."""
    services = services_of(request)
    body = await read_body(request)
    asked = parse_embeddings(body)
    services.limits.check_texts(asked.texts, readable_length)
    response = await until_disconnect(request, _embedded(services, asked))
    notes_of(request).version = asked.model
    spending_of(request).add(CompletionUsage(count_tokens(asked.texts), 0))
    if unknown := unknown_fields(body, EmbeddingsRequest.model_fields):
        response.headers[IGNORED_HEADER] = ignored_header(unknown)
    return response


async def _embedded(services: Services, asked: EmbeddingsRequest) -> Response:
    def vectors_of() -> Vectors:
        check_dimensions(asked, services.corpora.dim)
        return services.corpora.embed(asked.model, asked.texts)

    vectors = await services.searches.run(vectors_of)
    return JSONResponse(embeddings_body(asked, vectors))
