"""Protect many texts in one pass: throughput by workers, and memory as the texts go by.

    python benchmarks/batch.py --texts 100000 --workers 1 --workers 2 [--json out.json]

Each text is invented, with an e-mail address, a number, a date and a name. They are made one at a
time, so any growth of memory comes from the batch. Memory is the resident set of this process and
its workers, read from /proc after a tenth, half and all of the texts.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sage_rag.privacy.batch import ProtectorSpec, Record, protect_records
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.recognizers.disguise.recognizer import DisguiseRecognizer
from sage_rag.privacy.recognizers.forms.patterns import PatternRecognizer
from sage_rag.privacy.recognizers.forms.structured import STRUCTURED

_GIVEN = ("Maria", "Jonas", "Aisha", "Pedro", "Ingrid", "Wei", "Tomas", "Leila")
_FAMILY = ("Keller", "Okafor", "Lindqvist", "Moreau", "Tanaka", "Novak", "Silva", "Brandt")


def structured_recognizer() -> DisguiseRecognizer:
    """Return the recognizer of structured types alone."""
    return DisguiseRecognizer(PatternRecognizer(STRUCTURED))


def texts(count: int) -> Iterator[Record]:
    """Yield invented letters of about 400 characters, all different."""
    for i in range(count):
        given, family = _GIVEN[i % 8], _FAMILY[i // 8 % 8]
        text = (
            f"Dear Dr. {family}, my name is {given} {family} and I am {20 + i % 60} years old. "
            f"Since {1 + i % 28} March 20{i % 20:02} my knee hurts when I climb stairs, and the "
            "tablets that I was given do not help as they did. Could you tell me whether another "
            f"dose makes sense? You reach me at {given.lower()}.{i}@example.org or under "
            f"+1 713 555 {i % 10_000:04}; my record number is MRN-{100_000 + i}. Thanks, {given}"
        )
        yield Record(str(i), {"text": text})


def resident_mib() -> float:
    """Return the resident memory of this process and its children, in MiB."""
    children = [child.pid for child in multiprocessing.active_children()]
    pages = 0
    for pid in [os.getpid(), *(c for c in children if c)]:
        pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def measure(count: int, workers: int, spec: ProtectorSpec) -> dict[str, Any]:
    """Protect `count` texts and return rate and memory."""
    memory: dict[str, float] = {}
    places = {count // 10, count // 2, count}
    outcomes = protect_records(texts(count), Keyset.generate(), spec, workers=workers)
    first = next(outcomes)
    started, done = time.perf_counter(), 1
    for outcome in outcomes:
        if outcome.fields is None:
            raise SystemExit(f"text {outcome.id}: {outcome.failure}")
        done += 1
        if done in places:
            memory[str(done)] = round(resident_mib(), 1)
    seconds = time.perf_counter() - started
    if first.fields is None or done != count:
        raise SystemExit("texts were lost")
    rate = round((count - 1) / seconds, 1)
    return {"workers": workers, "texts": count, "texts_per_s": rate, "resident_mib": memory}


def main() -> None:
    """Measure each number of workers, and print the results as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--workers", type=int, action="append")
    parser.add_argument("--structured", action="store_true", help="without names and Chinese")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    recognizer = structured_recognizer if options.structured else default_recognizer
    spec = ProtectorSpec("benchmark", preset("soe-all"), recognizer)
    rows = [measure(options.texts, n, spec) for n in options.workers or [1, 2]]
    result = {"python": platform.python_version(), "cores": os.cpu_count(), "rows": rows}
    text = json.dumps(result, indent=2)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
