"""The OpenAPI document of a service: request bodies that it parses itself, and its errors."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

_TEXT_OR_NULL = {"type": ["string", "null"]}
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": _TEXT_OR_NULL,
                "code": _TEXT_OR_NULL,
            },
        }
    },
}
_CONTENT = {"application/json": {"schema": _ERROR}}
ERRORS: dict[int | str, dict[str, Any]] = {
    "4XX": {"description": "The request is refused.", "content": _CONTENT},
    "5XX": {"description": "The service cannot answer.", "content": _CONTENT},
}
"""The responses of every route beyond its own."""


def request_body(model: type[BaseModel]) -> dict[str, Any]:
    """Return the `openapi_extra` of a route whose JSON body is described by a model."""
    schema = model.model_json_schema()
    named = schema.pop("$defs", {})
    content = {"application/json": {"schema": _inlined(schema, named)}}
    return {"requestBody": {"required": True, "content": content}}


def _inlined(value: Any, named: dict[str, Any]) -> Any:
    """Return a schema with its definitions in place of the references to them."""
    if isinstance(value, dict):
        if "$ref" in value:
            return _inlined(named[value["$ref"].rpartition("/")[2]], named)
        return {key: _inlined(item, named) for key, item in value.items()}
    if isinstance(value, list):
        return [_inlined(item, named) for item in value]
    return value
