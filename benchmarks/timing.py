"""Timing and texts for the benchmarks."""

from __future__ import annotations

import random
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


def dense_records(count: int) -> list[str]:
    """Return invented records of 18 lines, each with one value."""
    return [_dense_record(random.Random(seed)) for seed in range(count)]


def _dense_record(choice: random.Random) -> str:
    def digits(length: int) -> str:
        return "".join(choice.choices("0123456789", k=length))

    day, year = choice.randint(1, 28), choice.randint(1940, 2010)
    rows = {
        "Date of birth": f"{year}-05-{day:02}",
        "Visit": f"{day} March {choice.randint(2010, 2024)}, {choice.randint(10, 18)}:45",
        "Age": str(2026 - year),
        "Phone": f"+1 713 555 {digits(4)}",
        "E-mail": f"anna.{digits(4)}@example.org",
        "Website": f"https://clinic.example.org/p/{digits(5)}",
        "IP": f"10.{choice.randint(0, 255)}.{choice.randint(0, 255)}.7",
        "MAC": f"00:1b:44:{choice.randint(10, 99)}:3a:b7",
        "SSN": f"{choice.randint(100, 665)}-{choice.randint(10, 99)}-{choice.randint(1000, 9999)}",
        "Card": choice.choice(("4111 1111 1111 1111", "5555 5555 5555 4444", "378282246310005")),
        "IBAN": choice.choice(("DE89370400440532013000", "GB82WEST12345698765432")),
        "Account no": digits(10),
        "Passport": f"X{digits(8)}",
        "Licence": f"D{digits(7)}",
        "MRN": digits(8),
        "NPI": f"1{digits(9)}",
        "Case": f"{choice.randint(2010, 2024)}-CV-{digits(5)}",
        "Weight": f"{choice.randint(50, 99)} kg",
    }
    return "\n".join(f"{name}: {value}" for name, value in rows.items())
