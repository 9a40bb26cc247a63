"""`transformers serve` with a tiny model: a real server of somebody else's, over HTTP."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from sage_rag.agents.chat.options import ModelOptions, chat_model
from sage_rag.agents.chat.protocols import ChatMessage, Reply
from sage_rag.common.exceptions import UpstreamError
from tests.agents.backends.tiny_chat import chat_folder

MISSING = [name for name in ("accelerate", "fastapi", "uvicorn") if find_spec(name) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"`transformers serve` needs {', '.join(MISSING)}"),
]
ASK = [ChatMessage("system", "Say it."), ChatMessage("user", "it")]
TAUGHT = {"(system) Say it.\n(user) it\n(assistant) ": '{"safe": true}'}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelOptions]:
    """Start a server on a free port, and end it."""
    place = tmp_path_factory.mktemp("served")
    folder = chat_folder(place / "tiny", TAUGHT)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("transformers")), "serve", str(folder)]
    log = place / "log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"],
            stdout=out,
            stderr=out,
            env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
        )
    try:
        wait_for(f"http://127.0.0.1:{port}/health", server, log)
        yield ModelOptions(base_url=f"http://127.0.0.1:{port}/v1", name=str(folder))
    finally:
        server.terminate()
        server.wait(30)


def wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 300
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310
                return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.2)
    pytest.fail(f"`transformers serve` did not start: {log.read_text('utf-8')[-2000:]}")


def test_a_served_model_answers_and_its_tokens_are_counted(
    served: ModelOptions, tmp_path: Path
) -> None:
    model = chat_model(served, concurrency=2, cache=tmp_path / "replies.sqlite")

    async def main() -> list[Reply]:
        shape = {"type": "object", "properties": {"safe": {"type": "boolean"}}}
        first = await model.complete(ASK, stage="review", shape=shape)
        again = await model.complete(ASK, stage="review", shape=shape)
        other = await model.complete([ASK[1]], stage="review")
        await model.close()
        return [first, again, other]

    first, again, other = asyncio.run(main())
    assert first.text == '{"safe": true}'
    assert first.finished
    assert again == first
    assert other.usage.prompt_tokens < first.usage.prompt_tokens
    stage = model.costs.snapshot()["stages"]["review"]
    assert (stage["calls"], stage["cache_hits"], stage["estimated"]) == (2, 1, 0)
    assert stage["prompt_tokens"] == first.usage.prompt_tokens + other.usage.prompt_tokens


def test_a_model_that_it_does_not_serve_is_one_line(served: ModelOptions) -> None:
    model = chat_model(ModelOptions(base_url=served.base_url, name="nobody", patience_s=1.0))

    async def main() -> None:
        try:
            await model.complete(ASK)
        finally:
            await model.close()

    with pytest.raises(UpstreamError, match="the model endpoint answered"):
        asyncio.run(main())
