"""Presidio's expressions and context words, from the data file that ships with this package.

`python -m tools.build_presidio_table` writes `patterns.toml` from an installed
`presidio-analyzer`, which is not imported at run time.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from sage_rag.common.fingerprints import data_digest

_FILE = "patterns.toml"

Check = Callable[[str], bool | None]
Match = tuple[int, int, float]
"""Start, end and score."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """What one of Presidio's recognizers searches for.

    `expressions`: in the syntax of the `regex` library, each with its score. `context`: the words
    that announce a value. `check`: whether a match is valid, impossible or, with `None`, unknown.
    `find`: replaces the expressions of a recognizer that has a search of its own.
    """

    expressions: tuple[tuple[str, float], ...]
    context: tuple[str, ...]
    check: Check | None = None
    find: Callable[[str], Iterable[Match]] | None = None


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(_FILE).read_text("utf-8"))


def patterns_fingerprint() -> str:
    """Return Presidio's release that the table is from, and a digest of the table."""
    return f"{_table()['version']}-{data_digest(__package__, _FILE)}"


def shipped_patterns(name: str) -> Patterns:
    """Return the patterns of a recognizer, by the name of its class in Presidio.

    Raises:
        KeyError: for a recognizer that the table does not contain.
    """
    from sage_rag.privacy.recognizers.presidio.checks import CHECKS

    row = _table()["recognizers"][name]
    expressions = tuple((e["regex"], e["score"]) for e in row["expressions"])
    return Patterns(expressions, tuple(row["context"]), CHECKS.get(name))


@cache
def indian_districts() -> dict[str, frozenset[str]]:
    """Return the district codes of Indian number plates, by the code of the state."""
    states: dict[str, str] = _table()["indian_districts"]
    return {state: frozenset(_codes(ranges)) for state, ranges in states.items()}


def _codes(ranges: str) -> Iterable[str]:
    """Yield the codes of "1-3 05-07 11", of the same width as the first of their range."""
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", ranges):
        for number in range(int(first), int(last or first) + 1):
            yield f"{number:0{len(first)}}"
