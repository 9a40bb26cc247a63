"""Read JSON Lines files."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from sage_rag.common.exceptions import InputError

Row = dict[str, Any]
_T = TypeVar("_T")


def read_jsonl(
    path: Path, parse: Callable[[Row], _T], what: str = "records", hint: str | None = None
) -> Iterator[tuple[int, _T]]:
    """Yield the number of each line, from 1, and its parsed object; empty lines are left out.

    Files that end in `.gz` are unpacked. `parse` raises `ValueError` for a bad object, with a
    message that quotes no text of it.

    Raises:
        InputError: for an unreadable file or a bad line; names file and line, and quotes nothing.
    """
    opener = gzip.open if path.suffix == ".gz" else Path.open
    try:
        with opener(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, _parse(line, parse, f"{path.name}, line {number}", hint)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise InputError(f"cannot read {what} from {path}: {reason}") from None


def _parse(line: str, parse: Callable[[Row], _T], place: str, hint: str | None) -> _T:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{place}: not JSON ({error.msg})", hint=hint) from None
    if not isinstance(row, dict):
        raise InputError(f"{place}: not a JSON object", hint=hint)
    try:
        return parse(row)
    except KeyError as error:
        raise InputError(f"{place}: no field {error}", hint=hint) from None
    except ValueError as error:
        raise InputError(f"{place}: {error}", hint=hint) from None


def rows(path: Path, what: str = "records") -> Iterator[Row]:
    """Yield the objects of a file, unparsed."""
    return (row for _, row in read_jsonl(path, lambda row: row, what))
