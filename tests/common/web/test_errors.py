"""What a client learns from a failure."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse

from sage_rag.common.web.app import service_app
from sage_rag.common.web.errors import error_response
from sage_rag.common.web.testing import running


def test_an_unknown_address_names_that_of_the_api() -> None:
    response = error_response(HTTPException(404))
    assert response.status_code == 404
    assert "under /v1" in json.loads(bytes(response.body))["error"]["message"]


@pytest.mark.parametrize("streams", [False, True])
def test_a_request_that_outlives_the_server_is_told_so(streams: bool) -> None:
    begun, never = threading.Event(), asyncio.Event

    async def pieces():
        yield b"data: 1\n\n"
        begun.set()
        await never().wait()

    async def answer(_: Request):
        if streams:
            return StreamingResponse(pieces(), media_type="text/event-stream")
        begun.set()
        await never().wait()
        return JSONResponse({})

    async def close() -> None:
        pass

    app = service_app(None, close=close)
    app.add_route("/slow", answer)
    with ThreadPoolExecutor(1) as clients:
        with running(app) as url:
            found = clients.submit(httpx.get, f"{url}/slow", timeout=20)
            assert begun.wait(10)
        response = found.result(20)
    assert response.status_code == (200 if streams else 503)
    last = response.text.removeprefix("data: 1\n\n").removeprefix("data: ")
    error = json.loads(last)["error"]
    assert (error["type"], error["code"]) == ("server_error", "stopping")
