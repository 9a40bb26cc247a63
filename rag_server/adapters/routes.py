"""The endpoints that are chat in another form, for the server and for the edge."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from sage_rag.common.web.errors import ApiError, error_response
from sage_rag.common.web.openapi import request_body
from sage_rag.rag_server.adapters import completions, responses
from sage_rag.rag_server.adapters.translate import Translator, translated

Body = dict[str, Any]


def chat_forms(
    read: Callable[[Request], Awaitable[Body]],
    answer: Callable[[Request, Body], Awaitable[Response]],
) -> APIRouter:
    """Return routes for `/v1/completions` and `/v1/responses`.

    `read` returns the body of a request; `answer` answers a chat request in its own form.
    """
    router = APIRouter()

    async def translation(request: Request, chat: Body, translator: Translator) -> Response:
        try:
            response = await answer(request, chat)
        except ApiError as error:
            response = error_response(error)
        return translated(response, translator)

    @router.post("/v1/completions", openapi_extra=request_body(completions.CompletionRequest))
    async def text_completions(request: Request) -> Response:
        """Answer a prompt, as a chat request with one message."""
        chat = completions.chat_of(await read(request))
        return await translation(request, chat, completions.CompletionTranslator())

    @router.post("/v1/responses", openapi_extra=request_body(responses.ResponseRequest))
    async def create_response(request: Request) -> Response:
        """Answer an input of text; the response is not stored."""
        body = await read(request)
        chat = responses.chat_of(body)
        return await translation(request, chat, responses.ResponseTranslator(body))

    return router
