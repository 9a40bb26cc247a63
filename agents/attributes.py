"""The attributes of a corpus as a file that its owner can read and edit.

form = "dialogue"

[[attribute]]
name = "complaint"
field = "question"
description = "What hurts, where and since when"
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sage_rag.agents.forms import form_names
from sage_rag.agents.protocols import Attribute, CorpusAttributes
from sage_rag.agents.rules.presets import bound, preset_form, presets
from sage_rag.common.exceptions import InputError
from sage_rag.privacy.tokens import LOOK_ALIKE

MAX_NAME, MAX_DESCRIPTION = 80, 400
"""Characters. Every prompt holds all attributes, so long ones cost tokens for every record."""
_KEYS = {"name": MAX_NAME, "field": 200, "description": MAX_DESCRIPTION}
_HEADER = """\
# The kinds of information that are kept of every record, in the record's own order.
# To use an edited copy, index with `--set attributes=./mine.toml`.
"""


def format_attributes(attributes: CorpusAttributes) -> str:
    """Return the file's text, from which `parse_attributes` returns equal attributes."""
    parts = [_HEADER, f"form = {toml_scalar(attributes.form)}\n"]
    for a in attributes.entries:
        values = {"name": a.name, "field": a.field, "description": a.description}
        lines = [f"{key} = {toml_scalar(value)}" for key, value in values.items()]
        parts.append("\n".join(["\n[[attribute]]", *lines, ""]))
    return "".join(parts)


def load_attributes(name_or_path: str, fields: Sequence[str]) -> CorpusAttributes:
    """Load a preset by name (`medical-dialogue`), or a file (`./mine.toml`).

    `fields` are those of the corpus's records: a field without an attribute would be lost.

    Raises:
        InputError: for an unknown name, a preset that does not fit the fields, a faulty file.
    """
    if name_or_path.endswith(".toml"):
        path = Path(name_or_path)
        try:
            text = path.read_text("utf-8-sig")
        except (OSError, ValueError):
            raise InputError(f"cannot read the attributes `{path.name}`") from None
        return parse_attributes(text, fields, where=f"`{path.name}`")
    name = name_or_path.replace("-", "_")
    if name not in presets():
        known = ", ".join(known.replace("_", "-") for known in presets())
        raise InputError(
            f"no attributes are called `{name_or_path}`",
            hint=f"one of: {known}; or a file: ./mine.toml",
        )
    return CorpusAttributes(bound(name, fields), preset_form(name))


def parse_attributes(
    text: str, fields: Sequence[str], *, where: str = "the attributes"
) -> CorpusAttributes:
    """Read a file's text; strict, so that a misspelt key is an error.

    Raises:
        InputError: says in one line what is wrong, in which attribute, and how to correct it.
    """
    try:
        parsed = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise InputError(f"{where}: not valid TOML: {error}") from None
    _only(parsed, ("form", "attribute"), where)
    form = parsed.get("form")
    if form not in form_names():
        known = ", ".join(form_names())
        raise InputError(f"{where}: no known form", hint=f"form = one of: {known}")
    tables = parsed.get("attribute")
    if not isinstance(tables, list) or not tables:
        raise InputError(f"{where}: no attribute", hint="write at least one [[attribute]]")
    attributes = [
        _attribute(table, f"{where}, attribute {number}", fields)
        for number, table in enumerate(tables, 1)
    ]
    _check_whole(attributes, fields, where)
    return CorpusAttributes(tuple(attributes), form)


def _attribute(table: Any, where: str, fields: Sequence[str]) -> Attribute:
    if not isinstance(table, dict):
        raise InputError(f"{where}: no table", hint="begin it with [[attribute]]")
    _only(table, tuple(_KEYS), where)
    values = {key: _line(table.get(key), longest, key, where) for key, longest in _KEYS.items()}
    if values["field"] not in fields:
        raise InputError(
            f"{where}: the records have no field of that name",
            hint=f"field = one of: {', '.join(fields)}",
        )
    return Attribute(**values)


def _line(value: Any, longest: int, key: str, where: str) -> str:
    """Return a value that is one line of text; a field's name may be any text."""
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}: no {key}", hint=f'write {key} = "..."')
    if key == "field":
        return value
    if len(value) > longest or not value.isprintable():
        raise InputError(f"{where}: {key} is not one line of at most {longest} characters")
    if LOOK_ALIKE.search(value):
        raise InputError(
            f"{where}: {key} holds a mark like those of protected values",
            hint="say what kind of information it is, not what one record says",
        )
    return value


def _check_whole(attributes: Sequence[Attribute], fields: Sequence[str], where: str) -> None:
    names: dict[str, int] = {}
    for number, attribute in enumerate(attributes, 1):
        first = names.setdefault(attribute.name, number)
        if first != number:
            raise InputError(
                f"{where}, attribute {number}: its name is that of attribute {first}",
                hint="give each a name of its own",
            )
    bare = [field for field in fields if field not in {a.field for a in attributes}]
    if bare:
        raise InputError(
            f"{where}: the field `{bare[0]}` has no attribute, so nothing of it would be kept",
            hint="add one, or leave the field out with --text-fields",
        )


def _only(table: Mapping[str, Any], keys: Sequence[str], where: str) -> None:
    unknown = [key for key in table if key not in keys]
    if unknown:
        shown = ascii(unknown[0])[1:-1]
        raise InputError(f"{where}: unknown key `{shown}`", hint=f"keys: {', '.join(keys)}")


def toml_scalar(value: str | float) -> str:
    """Return a value as TOML, which has JSON's scalars, except for the delete character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
