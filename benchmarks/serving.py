"""Time answers of server and edge against a bare search and the servers of other libraries.

    python benchmarks/serving.py records.jsonl --home /tmp/serving --passages 5000

All sides search the same passages with the same MiniLM for the same questions of about 200
characters, each asked once. `bare`: embed and search in one process, no HTTP. `server`: an
extractive answer with citations. `workers`: a server of two processes. `edge`: a server behind the
pseudonymising proxy. `local`: an edge that holds the index itself. `llama-index`, `txtai` and
`hayhooks`: the servers of `serving_peers.py`, whose answer is the passages found; `--peer-python`
is an interpreter that has these packages. The home is made once and kept. Clients are in this
process and take a part of the processor, the same for every side. A row has as many requests as fit
in `--seconds`; `cpu ms` is the processor time of all processes of a side per request, which other
work on the machine affects less. `first ms` is the median time to the first piece of a streamed
text, at one client. Beyond the corpus, passages repeat with vectors that differ by noise.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from serving_peers import PEERS, request_of

from sage_rag.common.jsonl import rows
from sage_rag.indexer.embedding import CachedEmbedder, query_embedder
from sage_rag.indexer.passages import Passage
from sage_rag.indexer.protocols import Embedder, Vector
from sage_rag.indexer.publishing import publish
from sage_rag.indexer.sentences import sentence_views
from sage_rag.privacy.keyset.files import write_keyset
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.rag_server.catalog import FolderCatalog
from sage_rag.rag_server.corpora import CorpusSearch

_CHARS, _SHORTEST = 300, 200
"""The longest and the shortest passage. A question is the beginning of passages."""
_STREAMS = 30
_SETTLED_S, _IDLE_S = 180.0, 0.03
"""The longest wait for idle processes, and the processor time of an idle second."""
_PASSPHRASE = "for a benchmark"
_LISTENING = re.compile(r"listening on (\S+)")

Times = Sequence[float]


def make_home(corpora: Sequence[Path], home: Path, count: int, chars: int = 200) -> list[str]:
    """Publish `count` passages of jsonl files, unless that is done; return the questions.

    `chars`: the length of a question, up to three passages long.
    """
    texts = [
        text
        for corpus in corpora
        for row in rows(corpus)
        for text in row.values()
        if isinstance(text, str)
    ]
    pieces = [t[i : i + _CHARS].strip() for t in texts for i in range(0, len(t), _CHARS)]
    pieces = [piece for piece in pieces if len(piece) > _SHORTEST]
    distinct = pieces[:count]
    passages = [
        Passage(f"p{n:06}", f"s{n}", {"text": distinct[n % len(distinct)]}) for n in range(count)
    ]
    if not (home / "corpora" / "clinic" / "current").exists():
        home.mkdir(parents=True, exist_ok=True)
        write_keyset(home.with_suffix(".keyset"), Keyset.generate(), _PASSPHRASE)
        embedder = query_embedder()
        manifest = {
            **{"corpus": "clinic", "recipe": "origin", "protection": "none", "policy": None},
            **{"agents": None, "embedder": embedder.name, "key_ids": ()},
            "counts": {"passages": count},
        }
        vectors = np.resize(embedder.embed(distinct), (count, embedder.dim))
        noise = np.random.default_rng(7).normal(0, 0.02, (count - len(distinct), embedder.dim))
        vectors[len(distinct) :] += noise.astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        publish(
            home,
            "clinic",
            passages,
            vectors,
            lexical=[p.text for p in passages],
            manifest=manifest,
            report={},
            sentences=sentence_vectors(passages, CachedEmbedder(embedder)),
        )
    choice = random.Random(7)
    longer = (" ".join(distinct[n : n + 3]) for n in range(len(distinct)))
    asked = [text[:chars].rpartition(" ")[0] for text in longer]
    choice.shuffle(asked)
    return asked


def sentence_vectors(passages: Sequence[Passage], embedder: Embedder) -> list[dict[str, Vector]]:
    """Return the vectors of each passage's sentences, by their readable views."""
    views = (sentence_views(passage, ()) for passage in passages)
    return [dict(zip(own, embedder.embed(own), strict=True)) for own in views]


@contextmanager
def process(
    *arguments: str, log: Path, python: str = sys.executable, **environment: str
) -> Iterator[tuple[str, int]]:
    """Run a process that reports where it listens; yield the address and the process id."""
    with log.open("w") as messages:
        running = subprocess.Popen(
            [python, *arguments],
            stdout=messages,
            stderr=messages,
            env={**os.environ, **environment},
        )
    try:
        while not (match := _LISTENING.search(log.read_text())):
            if running.poll() is not None:
                raise SystemExit(f"{arguments[:3]} did not start: {log.read_text()[-500:]}")
            time.sleep(0.1)
        yield match.group(1), running.pid
    finally:
        running.terminate()
        running.wait(20)


async def ask(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, question: str, side: str = "server"
) -> None:
    """Send one question over an open connection and read its response."""
    place, body = request_of(side, question)
    head = f"{place} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json"
    writer.write(f"{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    head_bytes = await reader.readuntil(b"\r\n\r\n")
    status = int(head_bytes.split(b" ", 2)[1])
    length = int(re.search(rb"(?i)content-length: (\d+)", head_bytes)[1])  # type: ignore[index]
    await reader.readexactly(length)
    if status != 200:
        raise RuntimeError(f"status {status}")


def first_pieces(url: str, questions: Iterator[str]) -> Times:
    """Return the seconds to the first piece of some streamed answers, one after the other."""
    return [asyncio.run(first_piece(url, next(questions))) for _ in range(_STREAMS)]


async def first_piece(url: str, question: str) -> float:
    """Return the seconds to the first piece of a streamed answer's text."""
    place = urlsplit(url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    messages = [{"role": "user", "content": question}]
    body = json.dumps({"model": "clinic", "messages": messages, "stream": True}).encode()
    started = time.perf_counter()
    head = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json"
    writer.write(f"{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    while not re.search(rb'"content": ?"[^"]', await reader.readline()):
        pass
    took = time.perf_counter() - started
    writer.close()
    return took


async def load(
    url: str, questions: Iterator[str], clients: int, seconds: float, side: str = "server"
) -> Times:
    """Return the seconds of each request; every client asks one after the other."""
    place, times = urlsplit(url), list[float]()
    end = time.perf_counter() + seconds

    async def client() -> None:
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        while time.perf_counter() < end:
            started = time.perf_counter()
            await ask(reader, writer, next(questions), side)
            times.append(time.perf_counter() - started)
        writer.close()

    await asyncio.gather(*(client() for _ in range(clients)))
    return times


def bare(search: Callable[[str], object], questions: Iterator[str], seconds: float) -> Times:
    """Return the seconds of each search without HTTP, one after the other."""
    times, end = list[float](), time.perf_counter() + seconds
    while time.perf_counter() < end:
        started = time.perf_counter()
        search(next(questions))
        times.append(time.perf_counter() - started)
    return times


def processor_s(pids: Sequence[int]) -> float:
    """Return the processor time that processes have used so far."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(f[11]) + int(f[12]) for f in fields) / os.sysconf("SC_CLK_TCK")


def settle(pids: Sequence[int]) -> None:
    """Wait until processes are idle: a server first reads its passages in the background."""
    end = time.perf_counter() + _SETTLED_S
    while time.perf_counter() < end:
        before = processor_s(pids)
        time.sleep(1.0)
        if processor_s(pids) - before < _IDLE_S:
            return


def children(pid: int) -> list[int]:
    """Return the processes that a process has started so far."""
    started = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in started.split()]


def show(
    side: str, clients: int, times: Times, took_s: float, used_s: float, first_s: Times = ()
) -> None:
    """Print a row: requests, requests per second, and times in milliseconds."""
    p50, p99 = (float(np.percentile(times, q)) * 1e3 for q in (50, 99))
    print(
        f"{side:8} {clients:7} {len(times):8} {len(times) / took_s:8.1f} {p50:8.1f} {p99:8.1f}"
        f" {used_s / len(times) * 1e3:8.1f}"
        + (f" {float(np.median(first_s)) * 1e3:8.1f}" if len(first_s) else ""),
        flush=True,
    )


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, nargs="+")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--passages", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--sides", default="bare,server,workers,edge,local,llama-index")
    parser.add_argument("--chars", type=int, default=200, help="length of a question")
    parser.add_argument("--clients", default="1,8,64", help="numbers of clients of a row")
    parser.add_argument("--peer-python", default=sys.executable)
    given = parser.parse_args()
    asked = make_home(given.corpus, given.home, given.passages, given.chars)
    questions = iter(asked * 20)
    print(
        f"{'side':8} {'clients':>7} {'requests':>8} {'per s':>8} {'p50 ms':>8} {'p99 ms':>8}"
        f" {'cpu ms':>8} {'first ms':>8}"
    )
    sides = given.sides.split(",")
    for side in sides:
        if side == "bare":
            bare_row(given, questions)
            continue
        with ExitStack() as stack:
            url, pids = start(side, given, stack)
            asyncio.run(load(url, questions, 2, 2.0, side))
            settle(pids)
            firsts = [] if side in PEERS else first_pieces(url, questions)
            for clients in map(int, given.clients.split(",")):
                started, used_s = time.perf_counter(), processor_s(pids)
                times = asyncio.run(load(url, questions, clients, given.seconds, side))
                took_s = time.perf_counter() - started
                used_s = processor_s(pids) - used_s
                show(side, clients, times, took_s, used_s, firsts if clients == 1 else ())
    return 0


def bare_row(given: argparse.Namespace, questions: Iterator[str]) -> None:
    """Print the row of the search in this process."""
    # A question is embedded once, for the search and for the evidence.
    corpora = CorpusSearch(FolderCatalog(given.home), CachedEmbedder(query_embedder()))
    bare(lambda q: corpora.search("clinic", q, 5), questions, 1.0)
    used_s = time.process_time()
    times = bare(lambda q: corpora.search("clinic", q, 5), questions, given.seconds)
    show("bare", 1, times, sum(times), time.process_time() - used_s)


def start(side: str, given: argparse.Namespace, stack: ExitStack) -> tuple[str, list[int]]:
    """Start a side's processes; return the address to ask, and the process ids."""
    log, module = given.home.parent, ("-m", "sage_rag.rag_server")
    line: tuple[str, ...]
    if side in PEERS:
        line = (str(Path(__file__).with_name("serving_peers.py")), side, "--home", str(given.home))
        peer = process(*line, log=log / f"{side}.log", python=given.peer_python)
        url, pid = stack.enter_context(peer)
        return url, [pid]
    secret = {"SAGE_RAG_PASSPHRASE": _PASSPHRASE}
    edge = ("edge", "--keyset", str(given.home.with_suffix(".keyset")), "--port", "0")
    if side == "local":
        line = (*module, *edge, "--local", str(given.home))
        url, pid = stack.enter_context(process(*line, log=log / "local.log", **secret))
        return url, [pid]
    serve: tuple[str, ...] = (
        *module,
        "serve",
        "--home",
        str(given.home),
        "--port",
        "0",
        "--insecure-no-auth",
    )
    serve += ("--workers", "2") if side == "workers" else ()
    url, pid = stack.enter_context(process(*serve, log=log / "server.log"))
    if side in ("server", "workers"):
        return url, [pid, *children(pid)]
    line = (*module, *edge, "--server", url)
    edge_url, edge_pid = stack.enter_context(process(*line, log=log / "edge.log", **secret))
    return edge_url, [pid, edge_pid]


if __name__ == "__main__":
    sys.exit(main())
