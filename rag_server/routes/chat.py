"""`/v1/chat/completions`: retrieve, answer, cite."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, Collection, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from sage_rag.common.deadlines import checkpoint
from sage_rag.common.web import sse
from sage_rag.common.web.errors import ApiError, as_api_error
from sage_rag.common.web.openapi import request_body
from sage_rag.common.web.requests import read_json, until_disconnect
from sage_rag.rag_server.access.keys import Scope
from sage_rag.rag_server.answering.condensing import CondensedQuestion
from sage_rag.rag_server.answering.names import names_someone
from sage_rag.rag_server.answering.protocols import AnswerContext, ConversationTurn, Piece
from sage_rag.rag_server.chat_request import (
    IGNORED_HEADER,
    ChatRequest,
    ignored_header,
    parse_chat,
    unknown_fields,
)
from sage_rag.rag_server.completions import (
    CompletionUsage,
    Envelope,
    chat_sources,
    cite,
    count_tokens,
    sources_markdown,
    without_markers,
)
from sage_rag.rag_server.conversation import CallsInProgress, turns_around
from sage_rag.rag_server.corpora import SearchResult
from sage_rag.rag_server.cutting import cut_pieces
from sage_rag.rag_server.guards.quotation import excerpt
from sage_rag.rag_server.limits import readable_length
from sage_rag.rag_server.routes.spending import Spending, spending_of
from sage_rag.rag_server.services import Services, services_of
from sage_rag.rag_server.side_calls import side_answer

PATH = "/v1/chat/completions"
router = APIRouter()
log = logging.getLogger("sage_rag")


@router.post(PATH, openapi_extra=request_body(ChatRequest))
async def chat_completions(request: Request) -> Response:
    """Answer the last user message from the corpus that `model` names."""
    return await answer_body(request, await read_body(request))


async def read_body(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request, within the limits of size and time."""
    limits = services_of(request).limits
    return await read_json(request, limits.body_bytes, limits.body_s)


async def answer_body(request: Request, body: dict[str, Any]) -> Response:
    """Answer the chat request in a body; stop when the client disconnects."""
    services = services_of(request)
    services.limits.check_conversation(body, readable_length)
    if (aside := side_answer(body, request.headers.get("x-task"))) is not None:
        return aside
    services.limits.check_last_message(body, readable_length)
    chat = parse_chat(body)
    unused = [*chat.without_effect(services.answerer.honours), *unknown_fields(body)]
    response = await until_disconnect(request, _respond(services, chat, spending_of(request)))
    if unused:
        response.headers[IGNORED_HEADER] = ignored_header(unused)
    return response


async def _respond(services: Services, chat: ChatRequest, spending: Spending) -> Response:
    started = time.monotonic()
    condensed = await _condensed(services, chat, spending)
    with services.metrics.stage("search"):
        found, context = await services.searches.run(_found, services, chat, condensed)
    spending.notes.version = found.version
    spending.notes.passages = [passage.id for passage in found.passages]
    if (words := services.quoted_words) is not None:
        found = replace(found, passages=[excerpt(p, words) for p in found.passages])
    answer = _AnswerInProgress(chat, found, started, spending)
    pieces = _limited(services.answerer.answer(context), chat, services.answerer.honours)
    try:
        # A failure before the first piece still has an HTTP status of its own.
        with services.metrics.stage("first piece"):
            first = answer.add(await anext(pieces, None))
        if chat.stream:
            stream = _stream(answer, first, pieces)
            return StreamingResponse(stream, headers=sse.HEADERS, media_type=sse.MEDIA_TYPE)
        async with aclosing(pieces):
            async for piece in pieces:
                answer.add(piece)
    except ApiError:  # the request was refused: no model has read it
        raise
    except BaseException:  # a model was asked: that costs, also where it fails or the client leaves
        answer.end()
        raise
    answer.end()
    return JSONResponse(answer.whole())


def _found(
    services: Services, chat: ChatRequest, condensed: CondensedQuestion | None
) -> tuple[SearchResult, AnswerContext]:
    """Search, and compose the answer if no model writes it: one change of threads for both.

    Without a condensed question, the last one is searched with what it takes from earlier ones. To
    find that takes long in a long conversation, so this thread does it.
    """
    question = condensed or CondensedQuestion(chat.standalone)
    found = services.corpora.search(
        chat.model,
        question.text,
        services.top_k,
        chat.search_words if question.names_kept else (),
        chat.search_tokens if question.names_kept else (),
        chat.named_people.people() if chat.named_people and question.names_kept else None,
        () if names_someone(question.text) else chat.people_before,
    )
    context = _conversation(chat, found, question.text, services.answerer.honours)
    if (compose := services.answerer.compose) is None:
        return found, context
    checkpoint()
    return found, replace(context, composed=compose(context))


def _limited(
    pieces: AsyncGenerator[Piece, None], chat: ChatRequest, honoured: Collection[str]
) -> AsyncGenerator[Piece, None]:
    """Apply the limits of a request that the answerer does not honour itself."""
    most = None if "max_tokens" in honoured else chat.most_tokens
    stops = [] if "stop" in honoured else chat.stops
    return cut_pieces(pieces, most, stops) if stops or most is not None else pieces


async def _stream(
    answer: _AnswerInProgress, first: dict[str, Any], pieces: AsyncGenerator[Piece, None]
) -> AsyncGenerator[bytes, None]:
    """Yield the events of an answer. `first`: the delta of the piece that has been read."""
    envelope = answer.envelope
    yield sse.encode(envelope.delta({"role": "assistant", "content": ""}))
    try:
        async with aclosing(pieces):
            if first:
                yield sse.encode(envelope.delta(first))
            async for piece in pieces:
                if delta := answer.add(piece):
                    yield sse.encode(envelope.delta(delta))
    except Exception as error:  # noqa: BLE001 - the status is already sent, so an event reports it
        yield sse.encode(as_api_error(error).body)
        return
    finally:  # what was written is spent, also where the model fails or the client leaves
        answer.end()
    for event in _end(answer):
        yield event


def _end(answer: _AnswerInProgress) -> Iterator[bytes]:
    """Yield the events after the text: sources, the reason of the end, token counts."""
    envelope, chat = answer.envelope, answer.chat
    citations = answer.citations()
    if chat.sources and citations:
        yield sse.encode(envelope.delta({"content": sources_markdown(citations)}))
    if (sources := answer.sources(citations)) is not None:
        yield sse.encode(envelope.sources(answer.text, citations, sources))
    yield sse.encode(envelope.finish(answer.finish_reason, citations))
    if chat.include_usage:
        yield sse.encode(envelope.usage(answer.usage()))
    yield sse.Event(sse.DONE).encode()


@dataclass
class _AnswerInProgress:
    """The part of an answer that has been written so far."""

    chat: ChatRequest
    found: SearchResult
    started: float
    spending: Spending
    text: str = ""
    finish_reason: str = "stop"
    known_usage: CompletionUsage | None = None
    calls: CallsInProgress = field(default_factory=CallsInProgress)

    def __post_init__(self) -> None:
        self.envelope = Envelope(
            self.chat.model,
            include_usage=self.chat.include_usage,
            fingerprint=self.found.version,
        )

    def add(self, piece: Piece | None) -> dict[str, Any]:
        """Add a piece and return it as the delta of a chunk, possibly empty."""
        if piece is None:
            return {}
        self.text += piece.text
        self.finish_reason = piece.finish_reason or self.finish_reason
        self.known_usage = piece.usage or self.known_usage
        delta: dict[str, Any] = {"content": piece.text} if piece.text else {}
        if piece.tool_calls:
            delta["tool_calls"] = [self.calls.add(call) for call in piece.tool_calls]
        return delta

    def whole(self) -> dict[str, Any]:
        """Return the completion."""
        citations = self.citations()
        content = self.text + (sources_markdown(citations) if self.chat.sources else "")
        sources = self.sources(citations)
        return self.envelope.whole(
            content, self.finish_reason, self.usage(), citations, sources, self.calls.whole()
        )

    def citations(self) -> list[dict[str, Any]]:
        """Return the passages that the text cites."""
        scores = self.spending.caller.allows(Scope.RESEARCH)
        return cite(self.text, self.found.passages, scores=scores)

    def sources(self, citations: list[dict[str, Any]]) -> dict[str, Any] | None:
        """Return the sources as chat clients render them."""
        model = self.found.manifest.corpus
        return chat_sources(model, self.found.version, self.found.passages, citations)

    def usage(self) -> CompletionUsage:
        """Return the model's count, or ours if the model reported none."""
        if self.known_usage is not None:
            return self.known_usage
        prompt = count_tokens(message.content for message in self.chat.messages)
        return CompletionUsage(prompt, count_tokens([self.text, *self.calls.arguments()]))

    def end(self) -> None:
        """Count the tokens of the answer, and log counts and times, never text."""
        self.known_usage = self.usage()
        self.spending.add(self.known_usage)
        log.info(
            "%s corpus=%s passages=%d tokens=%d ms=%d",
            self.envelope.id,
            self.chat.model,
            len(self.found.passages),
            self.known_usage.completion_tokens,
            (time.monotonic() - self.started) * 1000,
        )


async def _condensed(
    services: Services, chat: ChatRequest, spending: Spending
) -> CondensedQuestion | None:
    """Return the question as a chat model condenses it; `None` without one."""
    if services.condenser is None:
        return None
    turns = [ConversationTurn(m.role, m.content) for m in chat.messages[: chat.question_at + 1]]
    # What a client that leaves meanwhile has cost is not known: the question counts.
    usage: CompletionUsage | None = CompletionUsage(count_tokens([chat.question]), 0)
    try:
        with services.metrics.stage("question"):
            condensed = await services.condenser.condense(turns)
        usage = condensed.usage
    finally:
        if usage is not None:
            spending.add(usage)
    return condensed


def _conversation(
    chat: ChatRequest, found: SearchResult, standalone: str, honoured: Collection[str]
) -> AnswerContext:
    """Separate the question of a request from its other messages.

    A quoted footnote must not cite a passage, so passages are without markers here. Options that
    are not honoured do not go on: a guarded model must not see tools.
    """
    history, tool_turns = turns_around(chat.messages, chat.question_at)
    count = len(found.passages)
    passages = [
        replace(p, fields={name: without_markers(t, count) for name, t in p.fields.items()})
        for p in found.passages
    ]
    return AnswerContext(
        chat.question,
        passages,
        history,
        {name: value for name, value in chat.options.items() if name in honoured},
        standalone=standalone,
        evidence=found.evidence,
        answer_fields=found.manifest.answer_fields,
        sentence_vectors=found.sentence_vectors,
        tool_turns=tool_turns,
        streams=bool(chat.stream),
    )
