"""Timing and texts for the benchmarks."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from sage_rag.common.jsonl import rows

Work = Callable[[], object]


def best_s(work: Work, passes: int = 5) -> float:
    """Return the least processor time of several passes, in seconds."""
    times = []
    for _ in range(passes):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def median_s(works: Mapping[str, Work], passes: int) -> dict[str, float]:
    """Return the median wall time of each work, in seconds. Every pass runs all of them in turn."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(passes):
        for name, work in works.items():
            started = time.perf_counter()
            work()
            times[name].append(time.perf_counter() - started)
    return {name: statistics.median(found) for name, found in times.items()}


def records_as_text(path: Path) -> list[str]:
    """Return the strings of each record of a jsonl file, joined by line breaks."""
    return ["\n".join(v for v in row.values() if isinstance(v, str)) for row in rows(path)]
