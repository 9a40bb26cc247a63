"""Streams that break: what every caller has in common is in `tests/contracts`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import aclosing

import pytest

from sage_rag.agents.chat.backends.endpoint_errors import EndpointErrors
from sage_rag.agents.chat.backends.openai_client import OpenAIClient
from sage_rag.common.exceptions import UpstreamError, UpstreamTimeoutError

pytestmark = pytest.mark.slow

PROMPT = "Maria Keller"
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"


def event(data: str) -> bytes:
    sent = f"data: {data}\n\n".encode()
    return b"%x\r\n%s\r\n" % (len(sent), sent)


def piece(text: str, reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": reason}
    return event(json.dumps({"choices": [choice]}))


def streamed(sent: Sequence[bytes], *, hold: bool) -> list[str]:
    """Return the texts that a server streams; with `hold`, it leaves the connection open."""

    async def run() -> list[str]:
        ended = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await reader.read(65_536)
                for data in sent:
                    writer.write(data)
                    await asyncio.sleep(0.05)  # otherwise the client would receive all at once
                if hold:
                    await ended.wait()
            finally:
                writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        client = OpenAIClient(url, EndpointErrors("the endpoint", "check it", 0.5))
        body = {"messages": [{"role": "user", "content": PROMPT}]}
        try:
            with client.translated():
                async with aclosing(client.stream(body)) as chunks:
                    return [chunk.text async for chunk in chunks]
        finally:
            ended.set()
            await client.close()
            server.close()
            await asyncio.sleep(0.1)  # until the server's connection is closed

    return asyncio.run(asyncio.wait_for(run(), 10))


def test_a_stream_is_complete_though_its_connection_stays_open() -> None:
    assert streamed([HEAD, piece("a", "stop"), event("[DONE]")], hold=True) == ["a"]


@pytest.mark.parametrize(
    ("sent", "hold", "error"),
    [
        ([HEAD, piece("a"), b"zz\r\n"], False, UpstreamTimeoutError),
        ([HEAD, b"zz\r\n"], False, UpstreamTimeoutError),
        ([HEAD, piece("a")], True, UpstreamTimeoutError),
        ([b"HTTP/1.1 100 Continue\r\n\r\n"] * 2, True, UpstreamTimeoutError),
        ([HEAD, piece("a")], False, UpstreamError),
        ([HEAD, piece("a"), END], False, UpstreamError),
        ([HEAD, event("[1]"), END], False, UpstreamError),
        ([HEAD.replace(b"text/event-stream", b"application/json"), b"5\r\n"], False, UpstreamError),
        ([HEAD.replace(b"text/event-stream", b"application/json")], True, UpstreamTimeoutError),
        ([HEAD.replace(b"text/event-stream", b"application/json"), END], False, UpstreamError),
        ([HEAD, event(f'{{"error": "{PROMPT}"}}'), END], False, UpstreamError),
    ],
)
def test_a_broken_stream_ends_in_time_with_an_error(
    sent: Sequence[bytes], hold: bool, error: type[UpstreamError]
) -> None:
    with pytest.raises(error) as caught:
        streamed(sent, hold=hold)
    assert PROMPT not in f"{caught.value} {caught.value.hint}"
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
