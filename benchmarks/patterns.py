"""Time each pattern for structured values on hostile texts, and on texts of twice the length.

    python benchmarks/patterns.py [--units 4000]

A text repeats a unit that begins a value and never completes one. Time that grows by about two is
linear in the text; by four, quadratic. Shows the slowest pattern for each unit. Figures are the
least processor time of three passes; growth is not shown for less than a millisecond.
"""

from __future__ import annotations

import argparse
from functools import partial

from timing import best_s

from sage_rag.privacy.recognizers.forms.patterns import Pattern
from sage_rag.privacy.recognizers.forms.structured import STRUCTURED

UNITS = [
    *("1", ".", "@", "-", "1.", "1-", "1 ", "12 ", "a.", "a@", "A1-", "0:", "Ab ", "1 Ab "),
    *("a", "$1", "1,000 ", "one ", "user:", "pass=", "eyJ", "no. ", "case ", "EUR 1", "May 1 "),
    *("1, ", "1, 2 May ", "May 1, ", "of the 1, ", "since the 3 ", "dear Ann ", "regards, "),
]
_LEAST_S = 0.001


def main() -> None:
    """Print the slowest pattern for each unit: milliseconds, growth and expression."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--units", type=int, default=4_000)
    units = parser.parse_args().units
    print(f"{'unit':14} {'ms':>8} {'growth':>7}  pattern")
    for unit in UNITS:
        times = {best_s(partial(_find, p, unit * units), 3): p for p in STRUCTURED}
        seconds = max(times)
        longer = best_s(partial(_find, times[seconds], unit * units * 2), 3)
        growth = f"{longer / seconds:.1f}" if seconds > _LEAST_S else "-"
        print(f"{unit!r:14} {1000 * seconds:8.2f} {growth:>7}  {_excerpt(times[seconds])}")


def _excerpt(pattern: Pattern) -> str:
    """Return the type of a pattern and the beginning of its expression on one line."""
    return f"{pattern.entity_type} {' '.join(pattern.regex.pattern.split())[:60]}"


def _find(pattern: Pattern, text: str) -> None:
    for _ in pattern.find(text):
        pass


if __name__ == "__main__":
    main()
