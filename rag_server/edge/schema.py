"""Rules for the values that may leave the edge.

A rule takes a JSON value and returns the value to send, or raises an error. The recognizer reads
all text; other values must be of a form that cannot hold text. No rule accepts arbitrary values:
the edge does not send what it does not understand. It drops unknown fields, and the response names
them; it refuses unknown values of known fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from sage_rag.common.web.errors import ApiError
from sage_rag.privacy.entities import EntityType
from sage_rag.rag_server.chat_request import is_plain_name
from sage_rag.rag_server.edge.keyring import CorpusKeys

Rule = Callable[[Any, CorpusKeys, str], Any]
"""Takes a value, the keys, and the value's path for messages; returns the value to send."""

_ANY_JSON = frozenset({"annotations", "metadata", "parameters", "schema"})
"""Fields that hold any JSON."""


def refused(path: str, expected: str) -> ApiError:
    """Return the error for a value at a path."""
    message = f"`{path}`: {expected}; the edge sent nothing"
    return ApiError(400, message, code="not_understood", param=path)


def text(value: Any, keys: CorpusKeys, path: str) -> str:
    """Free text: its private values become tokens."""
    if not isinstance(value, str):
        raise refused(path, "a string is expected")
    return keys.pseudonymize(value)


def number(value: Any, keys: CorpusKeys, path: str) -> int | float:
    """A number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refused(path, "a number is expected")
    return value


def boolean(value: Any, keys: CorpusKeys, path: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise refused(path, "true or false is expected")
    return value


def null(value: Any, keys: CorpusKeys, path: str) -> None:
    """Null: clients that send our messages back include their empty fields."""
    if value is not None:
        raise refused(path, "null is expected")


def whole(entity_type: EntityType) -> Rule:
    """A string that identifies a person as a whole; it is not recognised first."""

    def rule(value: Any, keys: CorpusKeys, path: str) -> str:
        if not isinstance(value, str):
            raise refused(path, "a string is expected")
        return keys.hide_whole(value, entity_type) if value else value

    return rule


def choice(*values: str) -> Rule:
    """One of a few known words."""

    def rule(value: Any, keys: CorpusKeys, path: str) -> str:
        if not isinstance(value, str) or value not in values:
            raise refused(path, f"one of {', '.join(values)} is expected")
        return value

    return rule


def optional(inner: Rule) -> Rule:
    """Null, or a value of the inner rule."""
    return lambda value, keys, path: None if value is None else inner(value, keys, path)


def either(*, string: Rule, items: Rule | None = None, fields: Rule | None = None) -> Rule:
    """One rule for strings, another for lists (`items`) or for objects (`fields`)."""
    other, kind, named = (fields, dict, "an object") if fields else (items, list, "a list")

    def rule(value: Any, keys: CorpusKeys, path: str) -> Any:
        if isinstance(value, str):
            return string(value, keys, path)
        if other is None or not isinstance(value, kind):
            raise refused(path, f"a string or {named} is expected")
        return other(value, keys, path)

    return rule


def list_of(inner: Rule) -> Rule:
    """A list of values of the inner rule."""

    def rule(value: Any, keys: CorpusKeys, path: str) -> list[Any]:
        if not isinstance(value, list):
            raise refused(path, "a list is expected")
        return [inner(item, keys, f"{path}[{i}]") for i, item in enumerate(value)]

    return rule


def record(fields: Mapping[str, Rule]) -> Rule:
    """An object; its known fields are all optional, and unknown ones are dropped."""

    def rule(value: Any, keys: CorpusKeys, path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise refused(path, "an object is expected")
        return {
            name: fields[name](item, keys, f"{path}.{name}" if path else name)
            for name, item in value.items()
            if name in fields
        }

    return rule


def numbers_by_id(value: Any, keys: CorpusKeys, path: str) -> dict[str, int | float]:
    """An object from token ids to numbers."""
    if not isinstance(value, dict) or not all(k.isascii() and k.isdigit() for k in value):
        raise refused(path, "an object from token ids to numbers is expected")
    return {k: number(v, keys, path) for k, v in value.items()}


def any_json(value: Any, keys: CorpusKeys, path: str, name: Rule = text) -> Any:
    """JSON of any shape: strings and numbers are treated as text, keys by the rule `name`."""
    if isinstance(value, dict):
        pairs = ((name(k, keys, path), any_json(v, keys, path, name)) for k, v in value.items())
        return distinct(pairs, path)
    if isinstance(value, list):
        return [any_json(item, keys, path, name) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return keys.pseudonymize(value)
    plain = json.dumps(value)
    hidden_number = keys.pseudonymize(plain)
    return value if hidden_number == plain else hidden_number


def distinct(pairs: Iterable[tuple[str, Any]], path: str) -> dict[str, Any]:
    """Return an object of protected keys and values, unless two of its keys became equal."""
    listed = list(pairs)
    made = dict(listed)
    if len(made) != len(listed):
        raise refused(path, "two of its keys are equal after protection")
    return made


def dropped_fields(given: Any, sent: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of the fields of a request that are not in what is sent of it.

    Only plain names: a header repeats them to the client. Fields of any JSON have other names after
    protection, so they are left out.
    """
    if isinstance(given, dict) and isinstance(sent, dict):
        for name, item in given.items():
            if name not in sent and is_plain_name(name):
                yield f"{path}{name}"
            elif name not in _ANY_JSON:
                yield from dropped_fields(item, sent.get(name), f"{path}{name}.")
    elif isinstance(given, list) and isinstance(sent, list):
        for item, other in zip(given, sent, strict=False):
            yield from dropped_fields(item, other, path)
