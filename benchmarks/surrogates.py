"""Count the values that share a surrogate, and time one surrogate.

python benchmarks/surrogates.py
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.operators.dates import Calendar
from sage_rag.privacy.operators.surrogate import Surrogates
from sage_rag.privacy.people.gender import faker_names

COUNT = 10_000
SEED = 7


def main() -> None:
    """Print the figures for names and for phone numbers."""
    rng = random.Random(SEED)
    women, men, family = faker_names("en_US")
    _, _, more = faker_names("en_IE")
    given, families = sorted(women | men), sorted(family | more)
    names = _distinct(lambda: f"{rng.choice(given)} {rng.choice(families)}")
    phones = _distinct(
        lambda: f"({rng.randrange(201, 989)}) {rng.randrange(200, 999)}-{rng.randrange(9999):04d}"
    )
    for entity_type, values in ((EntityType.PERSON, names), (EntityType.PHONE_NUMBER, phones)):
        surrogates = Surrogates(Keyset.generate(), "benchmark")
        surrogates.surrogate(values[0], entity_type, Calendar())
        start = time.perf_counter()
        found = [surrogates.surrogate(value, entity_type, Calendar()) for value in values]
        seconds = time.perf_counter() - start
        shared = sum(count for count in Counter(found).values() if count > 1)
        print(
            f"{entity_type}: {shared} of {len(values)} share a surrogate, "
            f"{seconds / len(values) * 1e6:.0f} µs each"
        )
    parts = {name.split()[1]: new.split()[1] for name, new in zip(names, _all(names), strict=True)}
    print(f"family names alone: {len(parts)} became {len(set(parts.values()))}")


def _all(names: list[str]) -> list[str]:
    surrogates = Surrogates(Keyset.generate(), "benchmark")
    return [surrogates.surrogate(name, EntityType.PERSON, Calendar()) for name in names]


def _distinct(draw: Callable[[], str]) -> list[str]:
    found: set[str] = set()
    while len(found) < COUNT:
        found.add(draw())
    return sorted(found)


if __name__ == "__main__":
    main()
