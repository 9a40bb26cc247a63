"""The server as a process: swaps of versions under load, a kill, and an orderly end."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from sage_rag.indexer.embedding import query_embedder
from sage_rag.indexer.passages import Passage
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.publishing import publish
from sage_rag.indexer.sentences import sentence_views
from tests.end_to_end.command import Running, environment, service

pytestmark = pytest.mark.slow
IN_FLIGHT = 200
CLIENTS = 4
LAST_EDITION = 5
ADVICE = ("Rest helps against a cold", "Coffee keeps you awake", "Ice cools a swollen knee")
CHAT = "/v1/chat/completions"
ASK = {"model": "clinic", "messages": [{"role": "user", "content": "What helps against a cold?"}]}


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return query_embedder()


def publish_edition(home: Path, number: int, embedder: Embedder) -> None:
    """Publish a version whose every sentence names its number."""
    texts = [f"{advice}, says edition {number}." for advice in ADVICE]
    passages = [Passage(f"p{i}", f"s{i}", {"text": text}) for i, text in enumerate(texts)]
    views = [sentence_views(passage, ()) for passage in passages]
    manifest = {
        **{"corpus": "clinic", "recipe": "origin", "protection": "none", "policy": None},
        **{"agents": None, "embedder": embedder.name, "key_ids": ()},
        "counts": {"passages": len(texts)},
    }
    publish(
        home,
        "clinic",
        passages,
        embedder.embed(texts),
        lexical=texts,
        manifest=manifest,
        report={},
        sentences=[dict(zip(own, embedder.embed(own), strict=True)) for own in views],
    )


@pytest.fixture
def home(tmp_path: Path, embedder: Embedder) -> Path:
    publish_edition(tmp_path / "home", 1, embedder)
    return tmp_path / "home"


@pytest.fixture
def server(home: Path, tmp_path: Path) -> Iterator[Running]:
    with started(home, tmp_path) as running:
        yield running


def started(home: Path, folder: Path):  # type: ignore[no-untyped-def]
    audit = ("--audit-log", str(folder / "audit.jsonl"))
    serve = ("serve", "--home", str(home), "--port", "0", "--insecure-no-auth", *audit)
    limits = {"SAGE_RAG_SERVE_MAX_WAITING": "400", "SAGE_RAG_SERVE_WORK_TIMEOUT_S": "120"}
    return service(*serve, log=folder / "server.log", env=environment(**limits))


async def answers(url: str, count: int) -> list[httpx.Response]:
    """Ask the same question `count` times at once."""
    limits = httpx.Limits(max_connections=count)
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=120) as client:
        return await asyncio.gather(*(client.post(CHAT, json=ASK) for _ in range(count)))


def edition(answer: httpx.Response) -> int:
    """Return the version of an answer; its text, citations and fingerprint name the same one."""
    assert answer.status_code == 200, answer.text
    named = {int(n) for n in re.findall(r"edition (\d+)", answer.text)}
    fingerprint = int(answer.json()["system_fingerprint"].partition("@")[2])
    assert named == {fingerprint}
    return fingerprint


def test_versions_are_swapped_under_200_requests_in_flight(
    server: Running, home: Path, embedder: Embedder
) -> None:
    async def swap() -> list[list[int]]:
        found: list[list[int]] = []
        for number in range(2, LAST_EDITION + 1):
            asked = asyncio.create_task(answers(server.url, IN_FLIGHT))
            await asyncio.to_thread(publish_edition, home, number, embedder)
            found.append([edition(answer) for answer in await asked])
        return found

    in_flight = asyncio.run(swap())
    for number, editions in enumerate(in_flight, start=2):
        assert set(editions) <= {number - 1, number}
    (last,) = asyncio.run(answers(server.url, 1))
    assert edition(last) == LAST_EDITION


def test_a_killed_server_serves_at_the_next_start(
    server: Running, home: Path, tmp_path: Path
) -> None:
    found: list[httpx.Response] = []

    async def ask_until_it_fails() -> None:
        async with httpx.AsyncClient(base_url=server.url, timeout=120) as client:
            while True:
                found.append(await client.post(CHAT, json=ASK))

    async def kill() -> list[BaseException | None]:
        asking = [asyncio.create_task(ask_until_it_fails()) for _ in range(CLIENTS)]
        while len(found) < 2 * CLIENTS and not all(task.done() for task in asking):
            await asyncio.sleep(0.01)
        os.kill(server.pid, signal.SIGKILL)
        return await asyncio.gather(*asking, return_exceptions=True)

    assert all(isinstance(end, httpx.TransportError) for end in asyncio.run(kill()))
    with started(home, tmp_path) as again:
        found += asyncio.run(answers(again.url, 1))
    assert {edition(answer) for answer in found} == {1}
    *earlier, last = (tmp_path / "audit.jsonl").read_text().splitlines()
    assert json.loads(last)["status"] == 200
    # An answer is sent before its line is written: each client can have had one without.
    assert len(earlier) >= len(found) - 1 - CLIENTS
