"""Serve at full load for minutes: memory, wrong answers, swaps of versions, kills.

    python benchmarks/serving_soak.py --home /tmp/soak --minutes 10

Records of invented people are published with names as tokens. Clients ask the edge about one person
each; a right answer names this person, and no other, in plain text, and every sentence is of one
version. Every `--swap-s` seconds a newer version is published; every `--kill-s` seconds server or
edge, in turn, is killed with SIGKILL and started again. Requests that a kill interrupts are
counted apart. Prints a line a minute: the outcomes of requests so far, and the memory of both
processes.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import re
import signal
import sys
import time
from collections import Counter
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx

from sage_rag.indexer.embedding import CachedEmbedder, query_embedder
from sage_rag.indexer.passages import Passage, passage_id
from sage_rag.indexer.publishing import publish
from sage_rag.indexer.sentences import sentence_views
from sage_rag.privacy.blind_index import BlindIndex
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.files import write_keyset
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.tokens import readable_view

sys.path.insert(0, str(Path(__file__).parent))
from serving import process

_PASSPHRASE = "for a benchmark"
_PORTS = {"server": 8710, "edge": 8711}
_FIRST = "Maria Anna Jonas Clara David Elena Frank Greta Henry Irene".split()
_LAST = "Keller Lindqvist Novak Okafor Rossi Silva Tanaka Weber Young Zimmer".split()
_ADVICE = (
    "rest the knee for a week",
    "drink warm tea in the evening",
    "keep a diary of the headaches",
    "take the tablets after breakfast",
    "cool the burn under running water",
)
NAMES = [f"{first} {last}" for first, last in itertools.product(_FIRST, _LAST)]
_NAME = re.compile("|".join(NAMES))
_EDITION = re.compile(r"edition (\d+)")


def publish_edition(home: Path, keyset: Keyset, number: int) -> None:
    """Publish a record of each person; each sentence names the version."""
    cipher, index = SivCipher(keyset, "clinic"), BlindIndex(keyset, "clinic")
    embedder = CachedEmbedder(query_embedder())
    rows = []
    for row, name in enumerate(NAMES):
        token = cipher.encrypt(name, EntityType.PERSON)
        advice = _ADVICE[row % len(_ADVICE)]
        text = f"{token} should {advice}, says edition {number}."
        source = cipher.encrypt(name, EntityType.SOURCE)
        words = index.words(name, EntityType.PERSON)
        passage = Passage(passage_id(keyset, "clinic", name), source, {"text": text})
        rows.append((passage, " ".join([text, *words])))
    rows.sort(key=lambda item: item[0].id)
    passages = [passage for passage, _ in rows]
    views = [sentence_views(passage, ()) for passage in passages]
    publish(
        home,
        "clinic",
        passages,
        embedder.embed([readable_view(passage.text) for passage in passages]),
        lexical=[lexical for _, lexical in rows],
        manifest={
            **{"corpus": "clinic", "recipe": "encrypted", "protection": "identifiers"},
            **{"policy": "sage", "agents": None, "embedder": embedder.name},
            **{"key_ids": (keyset.primary,), "counts": {"passages": len(passages)}},
        },
        report={},
        sentences=[dict(zip(own, embedder.embed(own), strict=True)) for own in views],
    )


class Service:
    """A process that can be killed and started again."""

    def __init__(self, name: str, *arguments: str, log: Path) -> None:
        self.name, self._arguments, self._log = name, arguments, log
        self.kills = 0
        self.start()

    def start(self) -> None:
        """Start, and wait until it listens."""
        self._stack = ExitStack()
        line = ("-m", "sage_rag.rag_server", *self._arguments, "--port", str(_PORTS[self.name]))
        secret = {"SAGE_RAG_PASSPHRASE": _PASSPHRASE} if self.name == "edge" else {}
        started = process(*line, log=self._log, **secret)
        _, self.pid = self._stack.enter_context(started)

    def kill(self) -> None:
        """Kill and start again."""
        self.kills += 1
        os.kill(self.pid, signal.SIGKILL)
        self.close()
        self.start()

    def close(self) -> None:
        """End it."""
        self._stack.close()

    @property
    def memory_mb(self) -> float:
        """Private and file-backed memory that is resident; 0 while it starts again."""
        with suppress(FileNotFoundError):
            pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
            return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
        return 0.0


def judge(name: str, status: int, body: dict[str, Any]) -> str:
    """Return the outcome of a request."""
    if status != 200:
        return f"status {status}"
    text = body["choices"][0]["message"]["content"]
    editions = {int(n) for n in _EDITION.findall(text)}
    version = int(body["system_fingerprint"].partition("@")[2])
    if set(_NAME.findall(text)) - {name}:
        return "another name"
    if editions and editions != {version}:
        return "mixed versions"
    return "right" if name in text else "no answer"


async def client(
    number: int, outcomes: Counter[str], end: float, restarting: asyncio.Event
) -> None:
    """Ask about one person after the other until the end."""
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{_PORTS['edge']}", timeout=60) as http:
        for turn in itertools.count(number):
            if time.monotonic() > end:
                return
            name = NAMES[turn * 7 % len(NAMES)]
            question = f"What should {name} do?"
            body = {"model": "clinic", "messages": [{"role": "user", "content": question}]}
            disturbed = restarting.is_set()
            try:
                response = await http.post("/v1/chat/completions", json=body)
                outcome = judge(name, response.status_code, response.json())
            except httpx.HTTPError:
                outcome = "no connection"
                await asyncio.sleep(0.2)
            if outcome not in ("right", "another name", "mixed versions"):
                outcome += " while restarting" if disturbed or restarting.is_set() else ""
            outcomes[outcome] += 1


async def every(seconds: float, end: float, work: Any) -> None:
    """Run a blocking function in a thread every so often; 0: never."""
    while seconds and time.monotonic() + seconds < end:
        await asyncio.sleep(seconds)
        await work()


async def soak(given: argparse.Namespace, keyset: Keyset, services: list[Service]) -> Counter[str]:
    """Run clients, swaps and kills; print a line a minute."""
    end = time.monotonic() + given.minutes * 60
    outcomes: Counter[str] = Counter()
    restarting = asyncio.Event()
    numbers, victims = itertools.count(2), itertools.cycle(services)

    async def swap() -> None:
        await asyncio.to_thread(publish_edition, given.home, keyset, next(numbers))

    async def kill() -> None:
        restarting.set()
        await asyncio.to_thread(next(victims).kill)
        await asyncio.sleep(1)  # requests that were sent meanwhile
        restarting.clear()

    async def show() -> None:
        memory = ", ".join(f"{s.name} {s.memory_mb:.0f} MB" for s in services)
        print(
            f"{(end - time.monotonic()) / 60:5.1f} min left: {memory}; {dict(outcomes)}", flush=True
        )

    loops = ((given.swap_s, swap), (given.kill_s, kill), (min(60, given.minutes * 15), show))
    clients = (client(n, outcomes, end, restarting) for n in range(given.clients))
    await asyncio.gather(*clients, *(every(seconds, end, work) for seconds, work in loops))
    await show()
    return outcomes


def main() -> int:
    """Return 1 if an answer was wrong or a request failed without a kill."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--swap-s", type=float, default=5)
    parser.add_argument("--kill-s", type=float, default=0)
    given = parser.parse_args()
    keyset, file = Keyset.generate(), given.home.with_suffix(".keyset")
    with suppress(FileNotFoundError):
        file.unlink()
    given.home.mkdir(parents=True, exist_ok=True)
    write_keyset(file, keyset, _PASSPHRASE)
    publish_edition(given.home, keyset, 1)
    serve = ("serve", "--home", str(given.home), "--insecure-no-auth")
    edge = ("edge", "--server", f"http://127.0.0.1:{_PORTS['server']}", "--keyset", str(file))
    server = Service("server", *serve, log=given.home / "server.log")
    services = [server, Service("edge", *edge, log=given.home / "edge.log")]
    try:
        outcomes = asyncio.run(soak(given, keyset, services))
    finally:
        for service in services:
            service.close()
    print(f"kills: {', '.join(f'{s.name} {s.kills}' for s in services)}")
    return int(any(not o.endswith(("right", "while restarting")) for o in outcomes))


if __name__ == "__main__":
    sys.exit(main())
