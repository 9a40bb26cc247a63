"""The edge keeps what a schema says to a program, and hides the rest as any text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.spans import Span
from sage_rag.privacy.tokens import TOKEN
from sage_rag.rag_server.edge.keyring import CorpusKeys, Keyring
from sage_rag.rag_server.edge.pseudonymize import pseudonymize_request


class Greedy:
    """Takes every text for the name of a person."""

    fingerprint = "greedy"

    def recognize(self, text: str) -> Sequence[Span]:
        """Return one span, unless the text is empty."""
        return [Span(0, len(text), EntityType.PERSON)] if text.strip() else []


def keys_of() -> CorpusKeys:
    return Keyring(Keyset.generate(), Greedy(), preset("sage")).for_model("clinic")


KEYS = keys_of()


def sent(parameters: Any, name: str = "search_records", keys: CorpusKeys = KEYS) -> dict[str, Any]:
    tool = {"type": "function", "function": {"name": name, "parameters": parameters}}
    body = {"model": "clinic", "messages": [], "tools": [tool]}
    function: dict[str, Any] = pseudonymize_request(body, keys)["tools"][0]["function"]
    return function


KEPT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"Address": {"type": ["object", "null"]}},
    "properties": {
        "page": {"type": "integer", "minimum": 1, "maximum": 100, "exclusiveMaximum": 101},
        "lang": {"type": "string", "minLength": 2, "maxLength": 5, "format": "uuid"},
        "b": {"type": "number", "multipleOf": 0.01},
        "maxResults": {"anyOf": [{"$ref": "#/$defs/Address"}, {"$ref": "#"}]},
        "items": {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 9},
        "line_2": {"not": {"format": "date-time"}, "nullable": True},
        "description": {"additionalProperties": False},
    },
    "required": ["page", "lang", "b"],
    "dependentRequired": {"page": ["lang"]},
    "dependencies": {"page": ["lang"], "lang": {"required": ["b"]}},
    "additionalProperties": False,
}


def test_what_a_schema_says_to_a_program_is_kept_whatever_a_recognizer_thinks() -> None:
    assert sent(KEPT) == {"name": "search_records", "parameters": KEPT}


@pytest.mark.parametrize(
    "name",
    "search_records search_web google_search read_file getPatient HTTPServer get_id fetchURL f page"
    " CalendarEvent run_sql b address_2 max_tokens".split(),
)
def test_a_plain_name_of_a_function_is_kept(name: str) -> None:
    assert sent({}, name)["name"] == name


@pytest.mark.parametrize(
    "name",
    [
        *("maria_keller", "MariaKeller", "lookup_maria", "patient_lindqvist", "ng", "li_wu"),
        *("lee_smith", "LeeSmith", "grace_young", "patient_491511234", "Maria Keller", "kéller"),
        *("read-file", "x" * 65, "read_file\n", "page_Ngozi"),
    ],
)
def test_a_name_that_can_be_private_is_read_as_a_text(name: str) -> None:
    found = sent({"properties": {name: {}}, "required": [name]}, name)
    assert TOKEN.search(found["name"])
    [hidden] = found["parameters"]["properties"]
    assert KEYS.restore(hidden) == name
    assert found["parameters"]["required"] == [hidden] == [found["name"]]


PRIVATE = {
    "text of a property": {"properties": {"who": {"description": "Maria Keller"}}},
    "title": {"title": "Keller"},
    "choice": {"enum": ["Keller", 491511234]},
    "constant": {"const": "string"},
    "default": {"default": {"page": "Keller"}},
    "example": {"examples": [{"page": 491511234}]},
    "pattern": {"pattern": "Keller|Lindau"},
    "pattern of names": {"patternProperties": {"^Keller": {}}},
    "comment": {"$comment": "Keller"},
    "type": {"type": "Keller"},
    "format": {"format": "Keller"},
    "bound": {"maximum": "Keller"},
    "bound in a list": {"maximum": [491511234]},
    "dialect": {"$schema": "https://json-schema.org/Keller"},
    "address": {"$ref": "https://keller.example/schema"},
    "unknown keyword": {"x-owner": 3},
    "value of an unknown keyword": {"note": {"type": "object"}},
    "properties in a list": {"properties": ["Keller"]},
    "schema that is none": {"items": "Keller"},
    "no schema": ["Keller"],
}


@pytest.mark.parametrize("parameters", PRIVATE.values(), ids=PRIVATE)
def test_all_else_in_a_schema_is_read_as_a_text(parameters: Any) -> None:
    travels = json.dumps(sent(parameters)["parameters"], ensure_ascii=False)
    assert TOKEN.search(travels)
    for private in ("eller", "491511234", "Lindau"):
        assert private not in travels


def test_a_reference_points_at_its_definition_where_that_has_a_token() -> None:
    schema = {
        "$defs": {"Maria Keller/A": {"properties": {"page": {}}}},
        "items": {"$ref": "#/$defs/Maria%20Keller~1A/properties/page"},
    }
    tool = {"type": "function", "function": {"name": "f", "parameters": schema}}
    body = {"model": "clinic", "messages": [], "tools": [tool]}
    found = pseudonymize_request(body, KEYS)["tools"][0]["function"]["parameters"]
    [name] = found["$defs"]
    assert TOKEN.fullmatch(name)
    assert found["items"] == {"$ref": f"#/$defs/{name}/properties/page"}


def test_calls_use_the_names_of_the_definition() -> None:
    keys = keys_of()
    call = {"id": "1", "type": "function", "function": {"name": "read_file"}}
    call["function"]["arguments"] = '{"page": "Keller"}'
    body = {
        "model": "clinic",
        "messages": [
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "name": "read_file", "content": "", "tool_call_id": "1"},
        ],
        "tool_choice": {"type": "function", "function": {"name": "read_file"}},
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "read_file", "schema": KEPT},
        },
    }
    found = pseudonymize_request(body, keys)
    called = found["messages"][0]["tool_calls"][0]["function"]
    assert called["name"] == found["messages"][1]["name"] == "read_file"
    arguments = json.loads(called["arguments"])
    assert list(arguments) == ["page"]
    assert TOKEN.fullmatch(arguments["page"])
    assert found["tool_choice"]["function"]["name"] == "read_file"
    assert found["response_format"]["json_schema"] == {"name": "read_file", "schema": KEPT}


def test_a_restored_value_does_not_return_as_a_plain_name() -> None:
    keys = keys_of()
    assert keys.restore(keys.hide_whole("Will", EntityType.PERSON)) == "Will"
    call = {"id": "1", "type": "function", "function": {"name": "Will", "arguments": '{"Will": 1}'}}
    body = {"model": "clinic", "messages": [{"role": "assistant", "tool_calls": [call]}]}
    assert "Will" not in json.dumps(pseudonymize_request(body, keys))
