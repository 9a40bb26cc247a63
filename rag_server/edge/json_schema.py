"""Rules for JSON Schemas, and for the names and arguments that follow one.

A recognizer reads a keyword, or the name of a property, as a text of its own, and takes "page" for
a family name. So keywords, bounds and plain names are kept where a schema has them; all else in it
is read as any JSON.

Source: JSON Schema, drafts 4 to 2020-12, https://json-schema.org/specification.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from sage_rag.privacy.recognizers.lexicon import Kind, default_lexicon
from sage_rag.rag_server.edge.keyring import CorpusKeys
from sage_rag.rag_server.edge.schema import Rule, any_json, distinct, refused, text

_IDENTIFIER = re.compile(r"(?=.{1,64}\Z)[A-Za-z_]+[0-9]{0,2}")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PROGRAMMING = frozenset(
    "add addr ai api asc async bash bool browser cmd config cpu cron css csv ctx cwd "
    "dataset datetime db decrypt dropdown dst enum env filepath func github glob gpu guid "
    "hash hashtag headers hostname href html http https idx json jwt kwargs lang lat "
    "linear lint lng lon markdown math max min msg namespace nullable num numbers oauth "
    "org os param params pdf per placeholder repo res server sha sku sql src stderr stdin "
    "stdout tag temp textarea tmp todo tokenizer toml tooltip ui uri url utc uuid var "
    "viewport webhook websocket xml yaml".split()
)
"""Words of programs that the lexicon lacks, or knows as names alone."""
_NAMES = frozenset({Kind.GIVEN, Kind.SURNAME})


def identifier(value: Any, keys: CorpusKeys, path: str) -> str:
    """The name of a function or a property: kept if all its words are ordinary, else a text.

    A value that was restored before is hidden all the same.
    """
    if isinstance(value, str) and _is_plain(value) and not keys.has_shown(value):
        return value
    return text(value, keys, path)


def _is_plain(name: str) -> bool:
    """Return whether a name in snake or camel case has ordinary words, and can be no full name."""
    if not _IDENTIFIER.fullmatch(name):
        return False
    words = [word.lower() for word in _WORDS.findall(name)]
    names = [_names_of(word) for word in words]
    is_full_name = len(words) > 1 and Kind.GIVEN in names[0] and all(names)
    return all(map(_is_ordinary, words)) and not is_full_name


def _is_ordinary(word: str) -> bool:
    if word in _PROGRAMMING or default_lexicon().is_word(word):
        return True
    return len(word) <= 2 and not _names_of(word)


def _names_of(word: str) -> frozenset[str]:
    """Return as which names of persons a word is known."""
    if word in _PROGRAMMING:
        return frozenset()
    return _NAMES.intersection(default_lexicon().kinds_of(word))


def json_text(value: Any, keys: CorpusKeys, path: str) -> str:
    """JSON inside a string, such as the arguments of a tool call; otherwise free text."""
    if not isinstance(value, str):
        raise refused(path, "a string is expected")
    try:
        parsed = json.loads(value)
        json.dumps(parsed, ensure_ascii=False).encode()  # a lone surrogate can stay an escape only
    except (ValueError, RecursionError):
        return keys.pseudonymize(value)
    return json.dumps(any_json(parsed, keys, path, identifier), ensure_ascii=False)


def json_schema(value: Any, keys: CorpusKeys, path: str) -> Any:
    """A JSON Schema; a value that is no schema is any JSON."""
    if not isinstance(value, dict):
        return any_json(value, keys, path)
    pairs = (
        (name, _KEYWORDS[name](item, keys, path))
        if name in _KEYWORDS
        else (text(name, keys, path), any_json(item, keys, path))
        for name, item in value.items()
    )
    return distinct(pairs, path)


def _each(inner: Rule) -> Rule:
    """One value of the inner rule, or a list of them."""

    def rule(value: Any, keys: CorpusKeys, path: str) -> Any:
        if isinstance(value, list):
            return [inner(item, keys, path) for item in value]
        return inner(value, keys, path)

    return rule


def _by_name(name: Rule, inner: Rule) -> Rule:
    """An object from names, of properties or definitions, to values of the inner rule."""

    def rule(value: Any, keys: CorpusKeys, path: str) -> Any:
        if not isinstance(value, dict):
            return any_json(value, keys, path)
        return distinct(
            ((name(k, keys, path), inner(v, keys, path)) for k, v in value.items()), path
        )

    return rule


def _known(pattern: str) -> Rule:
    """A string that a pattern matches as a whole is kept; all else is any JSON."""
    known = re.compile(pattern)

    def rule(value: Any, keys: CorpusKeys, path: str) -> Any:
        is_known = isinstance(value, str) and known.fullmatch(value)
        return value if is_known else any_json(value, keys, path)

    return rule


def _bound(value: Any, keys: CorpusKeys, path: str) -> Any:
    is_number = isinstance(value, int | float)
    return value if is_number else any_json(value, keys, path)


def _name(value: Any, keys: CorpusKeys, path: str) -> Any:
    """The name of a property; `dependencies` may hold a schema instead."""
    return (identifier if isinstance(value, str) else json_schema)(value, keys, path)


def _reference(value: Any, keys: CorpusKeys, path: str) -> Any:
    """A pointer inside the schema: the names in it change as they do where it points."""
    if not isinstance(value, str) or not value.startswith("#"):
        return any_json(value, keys, path)
    return "#" + "/".join(_step(step, keys, path) for step in value[1:].split("/"))


def _step(step: str, keys: CorpusKeys, path: str) -> str:
    if not step or step in _KEYWORDS or (step.isascii() and step.isdecimal() and len(step) < 3):
        return step
    name = unquote(step).replace("~1", "/").replace("~0", "~")
    hidden = identifier(name, keys, path)
    return step if hidden == name else hidden.replace("~", "~0").replace("/", "~1")


_NAMED_SCHEMAS = _by_name(identifier, json_schema)
_KEYWORDS: Mapping[str, Rule] = {
    **dict.fromkeys(
        "$id $anchor $comment $dynamicAnchor id title description default examples example enum "
        "const pattern contentEncoding contentMediaType deprecated readOnly writeOnly nullable "
        "uniqueItems".split(),
        any_json,
    ),
    **dict.fromkeys(
        "additionalItems additionalProperties allOf anyOf contains contentSchema else if items not "
        "oneOf prefixItems propertyNames then unevaluatedItems unevaluatedProperties".split(),
        _each(json_schema),
    ),
    **dict.fromkeys(
        "exclusiveMaximum exclusiveMinimum maxContains maxItems maxLength maxProperties maximum "
        "minContains minItems minLength minProperties minimum multipleOf".split(),
        _bound,
    ),
    **dict.fromkeys("$defs definitions dependentSchemas properties".split(), _NAMED_SCHEMAS),
    **dict.fromkeys(["$ref", "$dynamicRef"], _reference),
    "patternProperties": _by_name(text, json_schema),
    "required": _each(_name),
    **dict.fromkeys(["dependentRequired", "dependencies"], _by_name(identifier, _each(_name))),
    "$schema": _known(r"https?://json-schema\.org/draft(-0[3-7]|/20(19-09|20-12))/schema#?"),
    "type": _each(_known("array|boolean|integer|null|number|object|string")),
    "format": _known(
        "(date-|partial-)?time|date|duration|(idn-)?(email|hostname)|ipv[46]|(uri|iri)(-reference)?|"
        "uri-template|uuid|(relative-)?json-pointer|regex|int(32|64)|float|double|byte|binary|password"
    ),
}
"""The rule for the value of each keyword."""
