"""Compare the processor time of a request between versions of the code, by turns, on busy cores.

    python benchmarks/serving_turns.py records.jsonl --home HOME --trees before=DIR,now=. --bare

Each tree is a checkout whose server runs with this interpreter; `--edge` asks through an edge and
counts the edge alone. Each question goes to all of them one after the other, and all answers must
be equal but for their id and time. `bare`: embed and search in this process, by this checkout. A
process's time is that of the scheduler (`/proc/PID/task/*/schedstat`), from before a question until
12 ms after its answer. Waits until the servers have read their passages. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from serving import _PASSPHRASE, make_home, process, settle

from sage_rag.indexer.embedding import CachedEmbedder, query_embedder
from sage_rag.rag_server.catalog import FolderCatalog
from sage_rag.rag_server.corpora import CorpusSearch

_WARM = 40
_REST_S = 0.012
_MODULE = ("-m", "sage_rag.rag_server")


def processor_ms(pid: int) -> float:
    """Return the processor time of a process so far."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6


def start(
    name: str, tree: Path, home: Path, edge: bool, stack: ExitStack
) -> tuple[str, int, list[int]]:
    """Start a server, and an edge; return the address to ask, the process counted, and all."""
    code = {"PYTHONPATH": str(tree.resolve() / "src"), "OMP_NUM_THREADS": "1"}
    log = home.with_name(f"{name}.log")
    serve = (*_MODULE, "serve", "--home", str(home), "--port", "0", "--insecure-no-auth")
    url, pid = stack.enter_context(process(*serve, log=log, **code))
    if not edge:
        return url, pid, [pid]
    keyset = home.with_name(f"{name}.keyset")
    keyset.write_bytes(home.with_suffix(".keyset").read_bytes())
    keyset.chmod(0o600)
    line = (*_MODULE, "edge", "--keyset", str(keyset), "--port", "0", "--server", url)
    log = home.with_name(f"{name}-edge.log")
    own, edge_pid = stack.enter_context(
        process(*line, log=log, SAGE_RAG_PASSPHRASE=_PASSPHRASE, **code)
    )
    return own, edge_pid, [pid, edge_pid]


async def ask(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, question: str
) -> Mapping[str, Any]:
    """Return the answer to a question on an open connection, without its id and time."""
    messages = [{"role": "user", "content": question}]
    body = json.dumps({"model": "clinic", "messages": messages}).encode()
    head = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json"
    writer.write(f"{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    found = await reader.readuntil(b"\r\n\r\n")
    length = int(re.search(rb"(?i)content-length: (\d+)", found)[1])  # type: ignore[index]
    answer = json.loads(await reader.readexactly(length))
    return {name: value for name, value in answer.items() if name not in ("id", "created")}


async def compare(
    sides: Mapping[str, tuple[str, int]],
    asked: Sequence[str],
    bare: Callable[[str], object] | None,
) -> tuple[dict[str, list[float]], int]:
    """Return the milliseconds of each question by side, and how many answers differ."""
    used: dict[str, list[float]] = {name: [] for name in ([*sides, "bare"] if bare else sides)}
    different, open_to = 0, {}
    for name, (url, _) in sides.items():
        place = urlsplit(url)
        open_to[name] = await asyncio.open_connection(place.hostname, place.port)
    for number, question in enumerate(asked):
        answers = []
        for name in list(sides)[:: 1 if number % 2 else -1]:
            before = processor_ms(sides[name][1])
            answers.append(await ask(*open_to[name], question))
            await asyncio.sleep(_REST_S)
            used[name].append(processor_ms(sides[name][1]) - before)
        if bare:
            begun = time.thread_time()
            bare(question)
            used["bare"].append((time.thread_time() - begun) * 1e3)
        different += any(answer != answers[0] for answer in answers)
    return used, different


def main() -> int:
    """Print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, nargs="+")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--trees", required=True, help="NAME=DIR,NAME=DIR")
    parser.add_argument("--passages", type=int, default=5000)
    parser.add_argument("--count", type=int, default=200, help="questions")
    parser.add_argument("--edge", action="store_true")
    parser.add_argument("--bare", action="store_true")
    given = parser.parse_args()
    asked = make_home(given.corpus, given.home, given.passages)
    random.Random(7).shuffle(asked)
    asked = asked[: _WARM + given.count]
    corpora = CorpusSearch(FolderCatalog(given.home), CachedEmbedder(query_embedder()))
    bare = (lambda q: corpora.search("clinic", q, 5)) if given.bare else None
    trees = dict(pair.split("=", 1) for pair in given.trees.split(","))
    with ExitStack() as stack:
        sides = {n: start(n, Path(d), given.home, given.edge, stack) for n, d in trees.items()}
        settle([pid for _, _, pids in sides.values() for pid in pids])
        counted = {name: (url, pid) for name, (url, pid, _) in sides.items()}
        used, different = asyncio.run(compare(counted, asked, bare))
    base = used["bare" if given.bare else next(iter(trees))][_WARM:]
    for name, times in ((name, times[_WARM:]) for name, times in used.items()):
        more = median(own - other for own, other in zip(times, base, strict=True))
        ratio = median(own / other for own, other in zip(times, base, strict=True))
        print(f"{name:8} {median(times):6.2f} ms, over the base {more:6.2f} ms, x{ratio:.3f}")
    print(f"{different} of {len(asked)} answers differ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
