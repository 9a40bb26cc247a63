"""Records of a file, one per line: plain text, or JSON values whose strings are the texts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from sage_rag.common.exceptions import InputError

MAX_LINE_BYTES = 16 * 1024 * 1024
"""A line is held in memory as a whole; this is the length of a novel."""
_LONG_NUMBER = 100_000
"""A number of six or more digits can identify a person."""


@dataclass(frozen=True, slots=True)
class LineRecord:
    """One line: its texts by path, and what is needed to write it again. `repr` hides the texts."""

    number: int
    fields: Mapping[str, str] = field(repr=False)
    _content: Any = field(repr=False)
    _end: str = field(repr=False)
    _is_json: bool = False

    def with_fields(self, fields: Mapping[str, str]) -> str:
        """Return the line with its texts replaced; JSON has the white space of `json.dumps`."""
        content = _replace(self._content, "", fields)
        return (json.dumps(content, ensure_ascii=False) if self._is_json else content) + self._end


class LineReader:
    """Reads plain text, where each line is a text, or with `jsonl` one JSON value per line.

    By default every string of a JSON value, at any depth, is a text; keys and numbers stay. With
    `names`, only these fields of the outermost object are texts; the other fields are left out,
    unless `keep_others`. `long_numbers` counts the numbers of six or more digits that stay.
    """

    def __init__(
        self, *, jsonl: bool, names: Sequence[str] | None = None, keep_others: bool = False
    ) -> None:
        self.jsonl = jsonl
        self._names = names
        self._keep_others = keep_others
        self.long_numbers = 0

    def read(self, source: BinaryIO) -> Iterator[LineRecord | InputError]:
        """Yield a record per line, or the error of a line that cannot be read; it holds no text.

        Raises:
            InputError: when the source fails.
        """
        number = 1
        while raw := _read_line(source, MAX_LINE_BYTES + 1, number):
            too_long = len(raw) > MAX_LINE_BYTES
            while too_long and raw and not raw.endswith(b"\n"):
                raw = _read_line(source, MAX_LINE_BYTES, number)
            try:
                if too_long:
                    raise InputError(f"line {number} is longer than {MAX_LINE_BYTES} bytes")
                record = self._record(number, _decode(raw, number))
            except InputError as error:
                yield error
            else:
                yield record
            number += 1

    def _record(self, number: int, line: str) -> LineRecord:
        text = line.rstrip("\r\n")
        end = line[len(text) :]
        if not text.strip():
            return LineRecord(number, {}, text, end)
        if not self.jsonl:
            return LineRecord(number, {"": text}, text, end)
        # Windows writes a byte order mark before the first line.
        content = _parse(text.removeprefix("\ufeff") if number == 1 else text, number)
        if self._names is not None:
            content = self._select(content, number)
        texts: dict[str, str] = {}
        self._collect(content, "", texts, names=self._names)
        return LineRecord(number, texts, content, end, _is_json=True)

    def _select(self, record: Any, number: int) -> dict[str, Any]:
        if not isinstance(record, dict):
            raise InputError(f"line {number} is not a JSON object")
        for name in self._names or ():
            if not isinstance(record.get(name), str):
                problem = "no field" if name not in record else "no text in field"
                raise InputError(
                    f"line {number} has {problem} `{name}`",
                    hint=f"--text-fields names fields; it has: {', '.join(record)[:200]}",
                )
        if self._keep_others:
            return record
        return {name: record[name] for name in record if name in (self._names or ())}

    def _collect(
        self, value: Any, path: str, texts: dict[str, str], *, names: Sequence[str] | None
    ) -> None:
        if isinstance(value, str):
            texts[path] = value
        elif isinstance(value, dict):
            for name, item in value.items():
                if names is None or name in names:
                    self._collect(item, f"{path}/{_escape(name)}", texts, names=None)
        elif isinstance(value, list):
            for position, item in enumerate(value):
                self._collect(item, f"{path}/{position}", texts, names=None)
        elif isinstance(value, int | float) and abs(value) >= _LONG_NUMBER:
            self.long_numbers += 1


def _read_line(source: BinaryIO, size: int, number: int) -> bytes:
    try:
        return source.readline(size)
    except OSError as error:  # the caller would take it for an error of the output
        raise InputError(f"cannot read line {number}: {error.strerror}") from None


def _decode(raw: bytes, number: int) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"line {number} is not UTF-8 at byte {error.start}") from None


def _parse(text: str, number: int) -> Any:
    """Return the value of a line; refuse what cannot be written again as it was."""
    try:
        parsed = json.loads(text, object_pairs_hook=_unique_keys)
        json.dumps(parsed, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except json.JSONDecodeError as error:
        problem = f"is not JSON at column {error.colno}"
    except RecursionError:
        problem = "is nested too deeply"
    except UnicodeEncodeError:
        problem = "contains half of a surrogate pair"
    except _RepeatedKeyError:
        problem = "has an object with a key that occurs twice"
    except ValueError:
        problem = "has a number that JSON cannot hold"
    else:
        return parsed
    raise InputError(f"line {number} {problem}")


class _RepeatedKeyError(ValueError):
    pass


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _RepeatedKeyError
    return found


def _replace(value: Any, path: str, fields: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return fields.get(path, value)
    if isinstance(value, dict):
        return {k: _replace(v, f"{path}/{_escape(k)}", fields) for k, v in value.items()}
    if isinstance(value, list):
        return [_replace(v, f"{path}/{i}", fields) for i, v in enumerate(value)]
    return value


def _escape(name: str) -> str:
    """Return a key as a step of a JSON Pointer (RFC 6901), so that paths are unambiguous."""
    return name.replace("~", "~0").replace("/", "~1")
