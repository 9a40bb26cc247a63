"""Read tables (csv, tsv): one record per row, named by the header; errors quote no text."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading
from sage_rag.common.jsonl import line_error

_DELIMITERS = ",;\t|"
_DECLARED = re.compile(rf'"?sep=([{_DELIMITERS}])"?')
"""A line before the header by which Excel names the delimiter."""
_MAX_CELL_CHARS = 2_000_000


def table_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the number of each row's last line, from 2, and its cells by column.

    The delimiter is the one of `, ; tab |` that the header contains most often, or that a line
    `sep=;` before the header names. A cell in double quotes can contain it, and line breaks.

    Raises:
        InputError: for a file that cannot be read, a header with two equal or empty names, or the
            first row with another number of cells than the header.
    """
    limit = csv.field_size_limit(_MAX_CELL_CHARS)
    try:
        with reading(path), path.open(encoding="utf-8-sig", newline="") as file:
            yield from _rows(path, file)
    finally:
        csv.field_size_limit(limit)


def _rows(path: Path, file: IO[str]) -> Iterator[tuple[int, dict[str, str]]]:
    begin, before = 0, 0
    header = file.readline()
    if declared := _DECLARED.fullmatch(header.strip()):
        begin, before = file.tell(), 1
        header = declared[1]
    file.seek(begin)
    rows = csv.reader(file, delimiter=max(_DELIMITERS, key=header.count), strict=True)
    try:
        names = [name.strip() for name in next(rows, [])]
        if len(set(names)) < len(names) or "" in names:
            raise InputError(f"`{path}` has two columns of one name, or one without a name")
        for cells in rows:
            if len(cells) != len(names) and any(cells):
                problem = f"has {len(cells)} cells, the header {len(names)}"
                raise line_error(path, before + rows.line_num, problem)
            if any(cells):
                yield before + rows.line_num, dict(zip(names, cells, strict=True))
    except csv.Error:
        hint = 'a cell with quotes is written "like ""this"" one"'
        problem = f"is not a row of a table, or has a cell over {_MAX_CELL_CHARS:,} characters"
        raise line_error(path, before + rows.line_num, problem, hint) from None
