"""Records of a file, one a line: plain text, or JSON objects whose strings are the texts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from sage_rag.common.exceptions import InputError

MAX_LINE_BYTES = 16 * 1024 * 1024
"""A line is held in memory as a whole; this is a novel in one line."""
_LONG_NUMBER = 100_000
"""From six digits on, a number can be somebody's."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end; `end` is what ended it, perhaps nothing at the end of a file."""

    number: int
    text: str
    end: str


def read_lines(source: BinaryIO) -> Iterator[Line | InputError]:
    """Yield the lines of a stream, or for a line that cannot be read, why."""
    number = 0
    while raw := source.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(raw) > MAX_LINE_BYTES:
            while raw and not raw.endswith(b"\n"):
                raw = source.readline(MAX_LINE_BYTES)
            yield InputError(f"line {number} is longer than {MAX_LINE_BYTES} bytes")
            continue
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            yield InputError(f"line {number} is not UTF-8 at byte {error.start}")
            continue
        body = text.rstrip("\r\n")
        yield Line(number, body, text[len(body) :])


class TextLines:
    """Lines of plain text: the whole line is the record's only field."""

    def fields(self, line: Line) -> tuple[Any, dict[str, str]]:
        """Return nothing to keep, and the text."""
        return None, {"line": line.text} if line.text.strip() else {}

    def line(self, line: Line, kept: Any, fields: Mapping[str, str]) -> str:
        """Return the line with its text replaced."""
        return fields.get("line", line.text) + line.end


class JsonLines:
    """Lines of JSON. By default every string at any depth is a text; keys and numbers are kept.

    With `names`, only these fields of the outermost object are texts; the others are left out,
    unless `keep_others`. `long_numbers` counts the numbers of six or more digits that were kept.
    """

    def __init__(self, names: Sequence[str] | None = None, *, keep_others: bool = False) -> None:
        self._names = names
        self._keep_others = keep_others
        self.long_numbers = 0

    def fields(self, line: Line) -> tuple[Any, dict[str, str]]:
        """Return the parsed line and its texts by their path.

        Raises:
            InputError: for a line that is not JSON, or lacks a named field; names the number.
        """
        if not line.text.strip():
            return None, {}
        kept = _parse(line)
        if self._names is not None:
            kept = self._chosen(kept, line)
        texts: dict[str, str] = {}
        self._collect(kept, "", texts, named=self._names)
        return kept, texts

    def line(self, line: Line, kept: Any, fields: Mapping[str, str]) -> str:
        """Return the line with its texts replaced; space between its parts is as JSON writes it."""
        if not line.text.strip():
            return line.text + line.end
        return json.dumps(_replaced(kept, "", fields), ensure_ascii=False) + line.end

    def _chosen(self, record: Any, line: Line) -> dict[str, Any]:
        if not isinstance(record, dict):
            raise InputError(f"line {line.number} is not a JSON object")
        for name in self._names or ():
            if not isinstance(record.get(name), str):
                raise InputError(f"line {line.number} has no text in field `{name}`")
        if self._keep_others:
            return record
        return {name: record[name] for name in record if name in (self._names or ())}

    def _collect(
        self, value: Any, path: str, texts: dict[str, str], *, named: Sequence[str] | None
    ) -> None:
        if isinstance(value, str):
            texts[path] = value
        elif isinstance(value, dict):
            for name, item in value.items():
                if named is None or name in named:
                    self._collect(item, f"{path}/{_escaped(name)}", texts, named=None)
        elif isinstance(value, list):
            for position, item in enumerate(value):
                self._collect(item, f"{path}/{position}", texts, named=None)
        elif isinstance(value, int | float) and abs(value) >= _LONG_NUMBER:
            self.long_numbers += 1


def _parse(line: Line) -> Any:
    try:
        parsed = json.loads(line.text, object_pairs_hook=_object)
        line.text.encode("utf-8")
        json.dumps(parsed, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (ValueError, RecursionError):
        # Half a surrogate pair, too, is a ValueError: no UTF-8 file can hold it. So is a number
        # too large for us, which would come out as `Infinity`, and no JSON.
        raise InputError(f"line {line.number} is not JSON that can be kept as it is") from None
    return parsed


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _replaced(value: Any, path: str, fields: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return fields.get(path, value)
    if isinstance(value, dict):
        return {k: _replaced(v, f"{path}/{_escaped(k)}", fields) for k, v in value.items()}
    if isinstance(value, list):
        return [_replaced(v, f"{path}/{i}", fields) for i, v in enumerate(value)]
    return value


def _escaped(name: str) -> str:
    """Return a step of a path that no other step can be taken for (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")
