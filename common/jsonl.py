"""JSON Lines files: one JSON object per line; errors name file and line, and quote nothing."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading, replacing

Row = dict[str, Any]
_T = TypeVar("_T")


def line_error(path: Path, number: int, problem: str, hint: str | None = None) -> InputError:
    """Return the error for one line, such as "`notes.jsonl` line 2 has no `text`"."""
    return InputError(f"`{path}` line {number} {problem}", hint=hint)


def numbered_rows(path: Path, hint: str | None = None) -> Iterator[tuple[int, Row]]:
    """Yield the number of each line, from 1, and its object; empty lines are left out.

    Files that end in `.gz` are unpacked. A byte order mark, as Windows writes it, is skipped.

    Raises:
        InputError: for a file that cannot be read, or the first line that is not a JSON object, or
            that has a key twice with different values.
    """
    opener = gzip.open if path.suffix == ".gz" else Path.open
    with reading(path), opener(path, "rt", encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield number, _object(line, path, number, hint)


def rows(path: Path) -> Iterator[Row]:
    """Yield the objects of a file; see `numbered_rows`."""
    return (row for _, row in numbered_rows(path))


def read_jsonl(
    path: Path, parse: Callable[[Row], _T], hint: str | None = None
) -> Iterator[tuple[int, _T]]:
    """Yield the number of each line, from 1, and its parsed object; see `numbered_rows`.

    `parse` raises `ValueError` for a bad object. Its message follows the line number ("has no
    `text`") and quotes no text.

    Raises:
        InputError: also for an object that `parse` refuses, or in which it finds no field.
    """
    for number, row in numbered_rows(path, hint):
        try:
            parsed = parse(row)
        except KeyError as error:
            raise line_error(path, number, f"has no `{error.args[0]}`", hint) from None
        except ValueError as error:
            raise line_error(path, number, str(error), hint) from None
        yield number, parsed


def write_jsonl(path: Path, written: Iterable[Row]) -> None:
    """Write one object a line, in ASCII; the file is complete when it appears.

    Raises:
        OSError: when the disk or the folder does not take it.
    """
    with replacing(path) as file:
        for row in written:
            file.write(json.dumps(row) + "\n")


class _RepeatedKeyError(ValueError):
    """A value would be lost: JSON objects keep the last one."""


def _without_repetition(pairs: list[tuple[str, Any]]) -> Row:
    row = dict(pairs)
    if len(row) < len(pairs) and any(row[name] != value for name, value in pairs):
        raise _RepeatedKeyError
    return row


_DECODER = json.JSONDecoder(object_pairs_hook=_without_repetition)


def _object(line: str, path: Path, number: int, hint: str | None) -> Row:
    try:
        row = _DECODER.decode(line)
    except _RepeatedKeyError:
        problem = "has a key twice, with different values"
        raise line_error(path, number, problem, hint or "keep one, or rename one") from None
    except json.JSONDecodeError as error:
        raise line_error(path, number, f"is not JSON at column {error.colno}", hint) from None
    except (ValueError, RecursionError):  # a number or a nesting beyond Python's limits
        raise line_error(path, number, "is not JSON that Python reads", hint) from None
    if not isinstance(row, dict):
        raise line_error(path, number, "is not a JSON object", hint)
    return row
