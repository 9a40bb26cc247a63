"""A small schema language for what may leave the edge.

A rule takes a JSON value and returns the value to send, or raises. Text goes through the
recognizer; every other value must be one that cannot carry text. There is no rule "anything":
what the edge does not understand, it does not send.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from sage_rag.common.web.errors import ApiError
from sage_rag.privacy.entities import EntityType
from sage_rag.rag_server.edge.keyring import Keys

Rule = Callable[[Any, Keys, str], Any]
"""Value, keys, path of the value for messages; returns what to send in its place."""

_SCHEMA_WORDS = frozenset(
    "$defs $ref $schema additionalProperties allOf anyOf array boolean const default description "
    "enum examples format function integer items json_schema maxItems maxLength maximum minItems "
    "minLength minimum name null number object oneOf parameters pattern properties required "
    "schema strict string title type".split()
)
"""Words of JSON Schema: no recognizer has to look at them in every tool of every request."""
_SHOWN_NAME = 40


def refused(path: str, expected: str) -> ApiError:
    """Return the refusal of a value at a path."""
    message = f"`{path}`: {expected}; the edge sent nothing"
    return ApiError(400, message, code="not_understood", param=path)


def text(value: Any, keys: Keys, path: str) -> str:
    """Free text: what is private in it becomes tokens."""
    if not isinstance(value, str):
        raise refused(path, "a string is expected")
    return keys.pseudonymize(value)


def number(value: Any, keys: Keys, path: str) -> int | float:
    """A number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refused(path, "a number is expected")
    return value


def boolean(value: Any, keys: Keys, path: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise refused(path, "true or false is expected")
    return value


def null(value: Any, keys: Keys, path: str) -> None:
    """Nothing: clients that repeat our messages send empty fields along."""
    if value is not None:
        raise refused(path, "null is expected")


def whole(entity_type: EntityType) -> Rule:
    """A string that identifies somebody as a whole, recognised or not."""

    def rule(value: Any, keys: Keys, path: str) -> str:
        if not isinstance(value, str):
            raise refused(path, "a string is expected")
        return keys.hide_whole(value, entity_type) if value else value

    return rule


def choice(*values: str) -> Rule:
    """One of a few known words."""

    def rule(value: Any, keys: Keys, path: str) -> str:
        if not isinstance(value, str) or value not in values:
            raise refused(path, f"one of {', '.join(values)} is expected")
        return value

    return rule


def optional(inner: Rule) -> Rule:
    """Null, or what the inner rule takes."""
    return lambda value, keys, path: None if value is None else inner(value, keys, path)


def either(*, string: Rule, other: Rule) -> Rule:
    """One rule for strings, another for the rest."""
    return lambda value, keys, path: (string if isinstance(value, str) else other)(
        value, keys, path
    )


def list_of(inner: Rule) -> Rule:
    """A list of what the inner rule takes."""

    def rule(value: Any, keys: Keys, path: str) -> list[Any]:
        if not isinstance(value, list):
            raise refused(path, "a list is expected")
        return [inner(item, keys, f"{path}[{i}]") for i, item in enumerate(value)]

    return rule


def record(fields: Mapping[str, Rule]) -> Rule:
    """An object with known fields only, each of which may be missing."""

    def rule(value: Any, keys: Keys, path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise refused(path, "an object is expected")
        for name in value:
            if name not in fields:
                raise refused(path or "request", f"the edge does not know {_shown(name)}")
        return {
            name: fields[name](item, keys, f"{path}.{name}" if path else name)
            for name, item in value.items()
        }

    return rule


def numbers_by_id(value: Any, keys: Keys, path: str) -> dict[str, int | float]:
    """An object from token ids to numbers."""
    if not isinstance(value, dict) or not all(k.isascii() and k.isdigit() for k in value):
        raise refused(path, "an object from token ids to numbers is expected")
    return {k: number(v, keys, path) for k, v in value.items()}


def any_json(value: Any, keys: Keys, path: str) -> Any:
    """JSON of any shape, every part of which counts as text: strings, keys and numbers."""
    if isinstance(value, dict):
        hidden = {any_json(k, keys, path): any_json(v, keys, path) for k, v in value.items()}
        if len(hidden) != len(value):
            raise refused(path, "two of its keys cannot be told apart once they are protected")
        return hidden
    if isinstance(value, list):
        return [any_json(item, keys, path) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value if value in _SCHEMA_WORDS else keys.pseudonymize(value)
    plain = json.dumps(value)
    hidden_number = keys.pseudonymize(plain)
    return value if hidden_number == plain else hidden_number


def json_text(value: Any, keys: Keys, path: str) -> str:
    """JSON inside a string, as the arguments of a tool call; anything else counts as text."""
    if not isinstance(value, str):
        raise refused(path, "a string is expected")
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return keys.pseudonymize(value)
    return json.dumps(any_json(parsed, keys, path), ensure_ascii=False)


def _shown(name: str) -> str:
    """Return an unknown field's name if it looks like one, since a message is not private."""
    plain = name.isascii() and name.isidentifier() and len(name) <= _SHOWN_NAME
    return f"the field `{name}`" if plain and name == name.lower() else "a field in it"
