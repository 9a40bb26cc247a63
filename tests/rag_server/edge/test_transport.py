"""An application in this process as the server of an edge."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from sage_rag.common.exceptions import UpstreamError
from sage_rag.rag_server.edge.transport import AppTransport, NetworkTransport


class Writer:
    """Streams a piece, waits for permission, and streams another one."""

    def __init__(self) -> None:
        self.may_go_on = asyncio.Event()
        self.ended_early = asyncio.Event()

    async def serve(self, _: Request) -> StreamingResponse:
        return StreamingResponse(self.pieces())

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        try:
            yield b"first"
            await self.may_go_on.wait()
        except asyncio.CancelledError:
            self.ended_early.set()
            raise
        yield b"last"


async def echo(request: Request) -> JSONResponse:
    body = (await request.body()).decode()
    given = {"path": request.url.path, "query": request.url.query, "body": body}
    return JSONResponse(given, 201, headers={"Retry-After": "7"})


def transport(writer: Writer) -> AppTransport:
    routes = [Route("/stream", writer.serve), Route("/echo", echo, methods=["POST"])]
    return AppTransport(Starlette(routes=routes))


def test_status_headers_and_body_are_those_of_the_application() -> None:
    async def ask() -> tuple[int, str, bytes]:
        reply = await transport(Writer()).send("POST", "/echo?known=a%20b", b"text")
        body = b"".join([piece async for piece in reply.pieces()])
        reply.close()
        return reply.status, reply.header("retry-after"), body

    status, header, body = asyncio.run(ask())
    assert (status, header) == (201, "7")
    assert body == b'{"path":"/echo","query":"known=a%20b","body":"text"}'


def test_a_piece_arrives_before_the_next_one_is_written() -> None:
    async def ask() -> list[bytes]:
        writer = Writer()
        reply = await transport(writer).send("GET", "/stream", None)
        pieces = reply.pieces()
        found = [await anext(pieces)]
        writer.may_go_on.set()
        return [*found, *[piece async for piece in pieces]]

    assert asyncio.run(asyncio.wait_for(ask(), 5)) == [b"first", b"last"]


def test_a_reply_that_is_closed_ends_the_request() -> None:
    async def ask() -> None:
        writer = Writer()
        reply = await transport(writer).send("GET", "/stream", None)
        await anext(reply.pieces())
        reply.close()
        await asyncio.wait_for(writer.ended_early.wait(), 5)

    asyncio.run(ask())


def test_an_application_that_raises_before_its_headers_gives_no_answer() -> None:
    class Broken:
        async def __call__(self, *_: object) -> None:
            raise RuntimeError("canary")

    with pytest.raises(UpstreamError) as caught:
        asyncio.run(AppTransport(Broken()).send("GET", "/", None))
    assert "canary" not in str(caught.value)


def test_a_body_with_a_chunk_that_cannot_be_read_ends_within_the_limit() -> None:
    head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n"

    async def ask() -> bytes:
        done = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(head)
            await writer.drain()
            await asyncio.sleep(0.05)
            writer.write(b"ZZZ\r\n")
            await writer.drain()
            await done.wait()
            writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            host, port = server.sockets[0].getsockname()
            sender = NetworkTransport(
                f"http://{host}:{port}", {}, trusted=True, timeout_s=0.3, proxies=False
            )
            reply = await sender.send("GET", "/", None)
            pieces = reply.pieces()
            found = await anext(pieces)
            with pytest.raises(UpstreamError):
                await anext(pieces)
            reply.close()
            await sender.close()
            done.set()
        return found

    assert asyncio.run(asyncio.wait_for(ask(), 10)) == b"first"


def test_bytes_that_arrived_before_a_break_are_not_lost_to_a_slow_reader() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n"

    async def ask() -> bytes:
        broken = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(head + b"first")
            await writer.drain()
            writer.close()
            await writer.wait_closed()
            broken.set()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            host, port = server.sockets[0].getsockname()
            sender = NetworkTransport(
                f"http://{host}:{port}", {}, trusted=True, timeout_s=60, proxies=False
            )
            reply = await sender.send("GET", "/", None)
            await broken.wait()
            await asyncio.sleep(0.05)  # the break arrives
            pieces = reply.pieces()
            found = await anext(pieces)
            with pytest.raises(UpstreamError, match="broke"):
                await anext(pieces)
            reply.close()
            await sender.close()
        return found

    assert asyncio.run(ask()) == b"first"
