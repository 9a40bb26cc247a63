"""A server of several processes: one address, one rate for a key, one text of metrics."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import httpx
import pytest

from sage_rag.indexer.embedding import query_embedder
from sage_rag.rag_server.access.keys import Scope, add_key, default_file, make_key
from tests.end_to_end.command import environment, service
from tests.end_to_end.test_serving import ASK, CHAT, edition, publish_edition

pytestmark = pytest.mark.slow
RATE = 12


def test_workers_share_keys_rates_versions_and_metrics(tmp_path: Path) -> None:
    embedder, home, audit = query_embedder(), tmp_path / "home", tmp_path / "audit.jsonl"
    publish_edition(home, 1, embedder)
    plain, stored = make_key("edge", frozenset({Scope.CHAT}), requests_per_minute=RATE)
    admin, admins = make_key("prometheus", frozenset({Scope.ADMIN, Scope.CHAT}))
    for key in (stored, admins):
        add_key(default_file(home), key)
    serve = ("serve", "--home", str(home), "--port", "0", "--workers", "2")
    log = tmp_path / "server.log"
    arguments = (*serve, "--audit-log", str(audit))
    with (
        service(*arguments, log=log, env=environment()) as server,
        httpx.Client(base_url=server.url, timeout=60) as client,
    ):
        fresh = {"connection": "close"}
        as_admin = {"authorization": f"Bearer {admin}", **fresh}
        wait_for_both(client, as_admin)
        asked = {"authorization": f"Bearer {plain}", **fresh}
        began, found = time.monotonic(), [0]
        while found[-1] != 429 and len(found) < 4 * RATE:
            found.append(client.post(CHAT, json=ASK, headers=asked).status_code)
        returned = (time.monotonic() - began) * RATE / 60
        assert found[-1] == 429
        assert RATE <= found.count(200) <= RATE + 1 + returned
        publish_edition(home, 2, embedder)
        answers = [client.post(CHAT, json=ASK, headers=as_admin) for _ in range(10)]
        assert {edition(answer) for answer in answers} == {2}
        wanted = found.count(200) + 10
        counted = requests_by_worker(client, as_admin, CHAT, wanted)
        assert sum(counted.values()) == wanted
        assert len(counted) == 2
    lines = [json.loads(line) for line in audit.read_text().splitlines()]
    assert sum(line["path"] == CHAT for line in lines) >= RATE + 10


def requests_by_worker(
    client: httpx.Client, headers: dict[str, str], path: str, wanted: int
) -> dict[str, int]:
    """Return how many requests for an address each worker reports, once they are up to date."""
    end = time.monotonic() + 30
    counted = counts(client, headers, path)
    while sum(counted.values()) < wanted and time.monotonic() < end:
        time.sleep(0.5)
        counted = counts(client, headers, path)
    return counted


def counts(client: httpx.Client, headers: dict[str, str], path: str) -> dict[str, int]:
    """Return how many requests for an address each worker reports."""
    counted: dict[str, int] = {}
    for line in client.get("/metrics", headers=headers).text.splitlines():
        row = re.fullmatch(r"sage_rag_request_seconds_count\{(.*)\} (\S+)", line)
        if row and f'path="{path}"' in row[1]:
            worker = re.search(r'worker="(\d)"', row[1])
            assert worker is not None
            counted[worker[1]] = counted.get(worker[1], 0) + int(float(row[2]))
    return counted


def wait_for_both(client: httpx.Client, headers: dict[str, str]) -> None:
    """Ask until both workers have answered."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for _ in range(10):
            client.get("/v1/models", headers=headers)
        if len(counts(client, headers, "/v1/models")) == 2:
            return
        time.sleep(0.2)
    raise AssertionError("the second worker did not answer")
