"""Measure `sage-rag index` as an owner runs it: time, memory, growth, one long record, a dry run.

    python benchmarks/indexing.py --corpus qa.jsonl [more.jsonl] [--records 500 2000 5000]
        [--long 70000] [--cores 2] [--json FILE]

The corpora are jsonl files with `question` and `answer`. Each record has the size of one of the
first file, in sentences, which are drawn from all files: so records of any number differ, and do
not get shorter or longer with their number. Every run is the command in a process of its own, by
rules, recipe `sage`, from its start to its end, with the models loaded: `wall_s`, `cpu_s` and
`peak_mib` are those of the process; other processes of the machine lengthen `wall_s`, and `cpu_s`
less. The dry run of the same corpus runs first, in the same way: `dry_s` is its wall time,
`dry_cpu_s` its processor time, and `predicted_s` what it says.

`--long` adds a corpus of twenty records and one with this many characters in two fields; alone, a
record that the gate refuses would leave nothing to publish.

`exponent` is the slope of log processor time over log records between two sizes: 1 is linear.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import log
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from sage_rag.common.jsonl import Row, rows
from sage_rag.eval.studies.sage.indexing_cost import OwnerCommands

_FIELDS = ("question", "answer")
_MEBIBYTE = 2**20
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def records(sources: Sequence[Path], count: int) -> Iterator[dict[str, str]]:
    """Yield `count` records of drawn sentences; a smaller number gives the first of them."""
    sizes = list(rows(sources[0]))
    pool = {
        name: [one for source in sources for row in rows(source) for one in _sentences(row, name)]
        for name in _FIELDS
    }
    random = Random(0)
    for i in range(count):
        size = sizes[i % len(sizes)]
        drawn = {n: random.choices(pool[n], k=len(_sentences(size, n)) or 1) for n in _FIELDS}
        yield {"id": str(i), **{name: " ".join(found) for name, found in drawn.items()}}


def _sentences(row: Row, name: str) -> list[str]:
    return [one for one in _SENTENCE_END.split(str(row[name])) if one]


def long_record(source: Path, chars: int) -> dict[str, str]:
    """Return one record whose two fields have `chars` characters together."""
    originals = list(rows(source))
    text = {name: " ".join(str(row[name]) for row in originals) for name in _FIELDS}
    return {"id": "long", **{name: value[: chars // 2] for name, value in text.items()}}


def dry_run(owner: OwnerCommands, corpus: Path) -> tuple[float, float, float]:
    """Return the wall and processor seconds that a dry run takes, and those that it predicts."""
    command = [str(Path(sys.executable).parent / "sage-rag"), "index", str(corpus), "--dry-run"]
    command += ["--name", "dry", "--home", str(owner.home), "--keyset", str(owner.keyset)]
    command += ["--text-fields", ",".join(_FIELDS), "--recipe", "sage"]
    environment = {**os.environ, "SAGE_RAG_PASSPHRASE": owner.passphrase}
    started, before = time.monotonic(), _children_cpu_s()
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    wall_s, cpu_s = time.monotonic() - started, _children_cpu_s() - before
    return wall_s, cpu_s, float(json.loads(done.stdout)["seconds"])


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(name: str, corpus_records: Iterable[dict[str, str]]) -> dict[str, Any]:
    """Return the figures of a dry run and of a run over these records."""
    with TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.jsonl"
        with corpus.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in corpus_records)
        owner = OwnerCommands(Path(folder) / "home")
        dry_s, dry_cpu_s, predicted_s = dry_run(owner, corpus)
        cost = owner.index(corpus, name, "sage", _FIELDS)
        cpu_s = cost.processor_s or 0.0
    return {
        "records": cost.documents,
        "published": cost.published,
        "wall_s": round(cost.wall_s, 1),
        "per_s": round(cost.documents_per_s, 2),
        "cpu_s": round(cpu_s, 1),
        "cpu_ms_a_record": round(1000 * cpu_s / cost.documents, 1),
        "peak_mib": cost.peak_rss_bytes // _MEBIBYTE,
        "dry_s": round(dry_s, 1),
        "dry_cpu_s": round(dry_cpu_s, 1),
        "dry_share": round(dry_cpu_s / cpu_s, 3),
        "predicted_s": predicted_s,
        "predicted_of_wall": round(predicted_s / cost.wall_s, 2),
    }


def with_exponents(found: Sequence[dict[str, Any]]) -> None:
    """Add to each row but the first the exponent of its growth."""
    for before, row in pairwise(found):
        growth = log(row["cpu_s"] / before["cpu_s"])
        row["exponent"] = round(growth / log(row["records"] / before["records"]), 2)


def print_line(row: Mapping[str, Any]) -> None:
    """Print the figures of one run as soon as it ends."""
    print("  ".join(f"{name} {value}" for name, value in row.items()), flush=True)


def main() -> None:
    """Measure, print a line for each run, and write the figures with their growth."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, nargs="+", required=True)
    parser.add_argument("--records", type=int, nargs="*", default=[500, 2000, 5000])
    parser.add_argument("--long", type=int, help="characters of one long record")
    parser.add_argument("--cores", type=int, help="limit the runs to this many cores")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    if arguments.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.cores])
    found: list[dict[str, Any]] = []
    for number in arguments.records:
        found.append(measured("corpus", records(arguments.corpus, number)))
        print_line(found[-1])
    with_exponents(found)
    if arguments.long:
        long = [*records(arguments.corpus, 20), long_record(arguments.corpus[0], arguments.long)]
        found.append(measured("long", long))
        print_line(found[-1])
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
