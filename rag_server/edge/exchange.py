"""One chat request of the edge: pseudonymise it, ask the server, restore the answer."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from starlette.responses import JSONResponse, Response, StreamingResponse

from sage_rag.common.exceptions import ProtectionError, UpstreamError
from sage_rag.common.web import sse
from sage_rag.common.web.errors import as_api_error
from sage_rag.rag_server.chat_request import IGNORED_HEADER, ignored_header
from sage_rag.rag_server.edge.keyring import CorpusKeys
from sage_rag.rag_server.edge.pseudonymize import pseudonymize_request
from sage_rag.rag_server.edge.restore import StreamRestorer, restore_body
from sage_rag.rag_server.edge.schema import dropped_fields
from sage_rag.rag_server.edge.services import EdgeServices
from sage_rag.rag_server.edge.upstream import UpstreamResponse
from sage_rag.rag_server.observability.audit import RequestNotes

_RESTORED_AT_ONCE_BYTES = 32 * 1024
"""An answer of this size is restored in a millisecond, less than a change of threads may take."""
log = logging.getLogger("sage_rag")


async def answer_chat(
    services: EdgeServices, body: dict[str, Any], notes: RequestNotes
) -> Response:
    """Return the restored response to a chat request.

    Fields that the edge drops are named in the header `x-sage-rag-ignored`, after those that the
    server ignores.

    Raises:
        ApiError: for a request that is not understood; nothing was sent.
        ProtectionError: when recognition fails; nothing was sent.
        UpstreamError: when the server does not answer correctly.
    """
    started = time.monotonic()
    keys = await services.keys_of(body.get("model"))
    with services.metrics.stage("pseudonymize"):
        sent = await services.work.run(pseudonymize_request, body, keys)
    sent["model"] = body["model"]  # a corpus, or one of its versions
    with services.metrics.stage("upstream"):
        answer = await services.upstream.post("/v1/chat/completions", sent)
    took = (time.monotonic() - started) * 1000
    # A model name is a client's text until the server confirms that it names a corpus.
    corpus = keys.corpus if answer.status == 200 else "-"
    notes.version = corpus
    log.info("edge corpus=%s status=%d ms=%d", corpus, answer.status, took)
    headers = _with_dropped(answer.headers, sorted(set(dropped_fields(body, sent))))
    is_json = (sent.get("response_format") or {}).get("type", "text") != "text"
    if answer.streams:
        stream = _stream(answer, keys, is_json)
        headers = {**sse.HEADERS, **headers}
        return StreamingResponse(stream, headers=headers, media_type=sse.MEDIA_TYPE)
    with services.metrics.stage("restore"):
        if answer.size_bytes <= _RESTORED_AT_ONCE_BYTES:
            restored = restore_body(answer.body, keys, content_is_json=is_json)
        else:
            restored = await services.work.run(
                restore_body, answer.body, keys, content_is_json=is_json
            )
    _log_damage(keys)
    return JSONResponse(restored, answer.status, headers=headers)


def _with_dropped(headers: dict[str, str], dropped: list[str]) -> dict[str, str]:
    names = [*filter(None, [headers.get(IGNORED_HEADER)]), *dropped]
    return {**headers, IGNORED_HEADER: ignored_header(names)} if names else headers


async def _stream(
    answer: UpstreamResponse, keys: CorpusKeys, is_json: bool
) -> AsyncGenerator[bytes, None]:
    restorer = StreamRestorer(keys, content_is_json=is_json)
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
        yield _end(restorer, error)


def _end(restorer: StreamRestorer, error: Exception) -> bytes:
    """Return the end of a stream that failed: the rest of its text, if that may be shown."""
    try:
        return restorer.rest() + sse.encode(as_api_error(error).body)
    except ProtectionError as refused:
        return sse.encode(as_api_error(refused).body)


def _log_damage(keys: CorpusKeys) -> None:
    if counts := keys.new_damage():
        log.warning("edge corpus=%s tokens since the start: %s", keys.corpus, counts)
