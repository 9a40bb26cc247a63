"""Serve an application on loopback, to test it with a real client."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import uvicorn
from starlette.types import ASGIApp

from sage_rag.common.web.protocol import LimitedProtocol
from sage_rag.common.web.serving import LOOP, address_of, bind

_START_S, _END_S = 10.0, 10.0
_GRACE_S = 0.2
"""How long open requests may continue once the server has to end."""
_POLL_S = 0.01


@contextmanager
def running(app: ASGIApp) -> Iterator[str]:
    """Run an application in a thread on a free loopback port; yield its address."""
    listener = bind("127.0.0.1", 0)
    config = uvicorn.Config(
        app, log_config=None, access_log=False, ws="none", loop=LOOP, http=LimitedProtocol
    )
    server = _Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    if not server.ready.wait(_START_S):
        raise RuntimeError("the test server did not start")
    try:
        yield address_of(listener)
    finally:
        server.should_exit = True
        thread.join(_END_S)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    async def main_loop(self) -> None:
        """Check for the end more often than uvicorn does, since tests start many servers."""
        while not await self.on_tick(0):
            await asyncio.sleep(_POLL_S)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End as uvicorn does, without its fixed wait of 0.1 s."""
        for listener in (*self.servers, *(sockets or ())):
            listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        with suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_S):
                while self.server_state.connections or self.server_state.tasks:
                    await asyncio.sleep(_POLL_S)
        for task in self.server_state.tasks:
            task.cancel()
        await self.lifespan.shutdown()
