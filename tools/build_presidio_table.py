"""Write the expressions and context words of Presidio's recognizers that run by default.

    python -m tools.build_presidio_table

Needs the extra `presidio`. Presidio's checks are code: `privacy/recognizers/presidio/checks.py`
has its own, and the tests compare the two. Run the tests after an update.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from sage_rag.privacy.recognizers.presidio.engine import installed_patterns, presidio_recognizer
from sage_rag.privacy.recognizers.presidio.table import DEFAULT_ROWS

OUTPUT = Path("privacy/recognizers/presidio/patterns.toml")
_HEADER = """\
# Expressions and context words of presidio-analyzer: MIT licence, see ../SOURCES.md.
# Written by `python -m tools.build_presidio_table`; do not edit.
"""


def table() -> str:
    """Return the data file for the installed release."""
    lines = [_HEADER, f"version = {_quoted(version('presidio-analyzer'))}", ""]
    for row in DEFAULT_ROWS:
        lines += _recognizer(row.name)
    return "\n".join([*lines, "[indian_districts]", *_districts(), ""])


def _recognizer(name: str) -> Iterator[str]:
    patterns = installed_patterns(name)
    yield f"[recognizers.{name}]"
    yield f"context = [{', '.join(map(_quoted, patterns.context))}]"
    yield "expressions = ["
    yield from (f"    {{ score = {s}, regex = {_literal(r)} }}," for r, s in patterns.expressions)
    yield "]\n"


def _districts() -> Iterator[str]:
    states = presidio_recognizer("InVehicleRegistrationRecognizer").state_rto_district_map
    for state in sorted(states):
        yield f"{state} = {_quoted(' '.join(_ranges(states[state])))}"


def _ranges(codes: Iterable[str]) -> Iterator[str]:
    """Write codes as ranges of one width: "1-9 10-17 19"."""
    ordered = sorted(codes, key=lambda code: (len(code), code))
    numbered = enumerate(ordered)
    for _, run in groupby(numbered, key=lambda item: (len(item[1]), int(item[1]) - item[0])):
        members = [code for _, code in run]
        yield members[0] if len(members) == 1 else f"{members[0]}-{members[-1]}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _literal(expression: str) -> str:
    if "'''" in expression or expression.endswith("'"):
        raise SystemExit(f"error: no TOML literal for {expression!r}")
    return f"'''{expression}'''" if "'" in expression else f"'{expression}'"


if __name__ == "__main__":
    OUTPUT.write_text(table(), "utf-8")
