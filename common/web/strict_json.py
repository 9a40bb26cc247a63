"""Read JSON that another party wrote, so that it can be walked and sent again."""

from __future__ import annotations

import json
import re
from typing import Any

MAX_DEPTH = 100
"""Lists and objects inside one another. Python's own limit, about a thousand calls, depends on the
caller and fails later, where the value is walked. Source: an API of chats nests fewer than ten; a
JSON Schema in a request, a few dozen."""
_MAYBE_INFINITE = re.compile(r"[eE]\+?\d{3}|(?<!\d)\d{200}")
"""Every number beyond a float's range matches; a decoder that checks each number is slower."""


def parse_json(content: bytes | str) -> Any:
    """Return the value of a JSON text.

    `json.loads` also takes what no JSON text may hold, and such a value fails when it is sent.

    Raises:
        ValueError: when it is not JSON, nests deeper than `MAX_DEPTH`, or holds `NaN`, an infinite
            number or half of a surrogate pair.
    """
    text = content if isinstance(content, str) else content.decode(json.detect_encoding(content))
    try:
        value = (_CHECKING if _MAYBE_INFINITE.search(text) else _PLAIN).decode(text)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()  # refuses lone surrogates
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _is_deep(value):
        raise ValueError("nested too deeply")
    return value


def _is_deep(value: Any) -> bool:
    level = [value] if type(value) in _CONTAINERS else []
    for _ in range(MAX_DEPTH):
        level = [
            item
            for outer in level
            for item in (outer.values() if isinstance(outer, dict) else outer)
            if type(item) in _CONTAINERS  # faster than `isinstance`; a decoder makes no others
        ]
        if not level:
            return False
    return True


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _number(digits: str) -> float:
    """Return a number; `1e999` would become an infinity."""
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    return number


_CONTAINERS = (dict, list)
_PLAIN = json.JSONDecoder(parse_constant=_refuse_constant)
_CHECKING = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_number)
