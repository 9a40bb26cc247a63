"""Hold an answer to a JSON schema, as servers do that enforce one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_BLANKS = {"string": "", "array": [], "boolean": False, "integer": 0, "number": 0, "null": None}


def fitted(answer: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer with the properties that a schema demands, and only those it allows.

    What is missing is blank, or the first of the values that are allowed.
    """
    return _object(answer, schema, schema.get("$defs", {}))


def _object(
    answer: Mapping[str, Any], schema: Mapping[str, Any], defined: Mapping[str, Any]
) -> dict[str, Any]:
    properties = schema.get("properties", {})
    closed = properties and schema.get("additionalProperties", True) is False
    kept = {name: value for name, value in answer.items() if name in properties or not closed}
    for name in schema.get("required", ()):
        described = _resolved(properties.get(name, {}), defined)
        value = kept.get(name)
        if described.get("type") == "object":
            kept[name] = _object(value if isinstance(value, Mapping) else {}, described, defined)
        elif name not in kept:
            kept[name] = _blank(described)
    return kept


def _blank(described: Mapping[str, Any]) -> Any:
    if "default" in described:
        return described["default"]
    return next(iter(described.get("enum", ())), _BLANKS.get(str(described.get("type"))))


def _resolved(described: Mapping[str, Any], defined: Mapping[str, Any]) -> Mapping[str, Any]:
    found = defined.get(str(described.get("$ref", "")).removeprefix("#/$defs/"), described)
    return found if isinstance(found, Mapping) else described
