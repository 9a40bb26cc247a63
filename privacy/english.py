"""English words of numbers, months and weekdays, in lower case and in order."""

from __future__ import annotations

ONES = tuple(
    (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
        " fifteen sixteen seventeen eighteen nineteen"
    ).split()
)
"""The words of 0 to 19: each at its number."""
TENS = tuple("twenty thirty forty fifty sixty seventy eighty ninety".split())
"""The words of 20, 30, ... 90."""
MONTHS = tuple(
    "january february march april may june july august september october november december".split()
)
WEEKDAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())


def number_of(words: str) -> int:
    """Return the number that words name, up to 99: `twenty-one`, `Sixty three`.

    Raises:
        ValueError: for other words.
    """
    first, *rest = words.lower().replace("-", " ").split()
    if first not in TENS:
        return ONES.index(first)
    return 20 + 10 * TENS.index(first) + (ONES.index(rest[0]) if rest else 0)
