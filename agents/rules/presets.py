"""Presets of attributes.

The rules choose a preset by themselves; a model is given one by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from sage_rag.agents.forms import dialogue_sides
from sage_rag.agents.lexicon import load_toml
from sage_rag.agents.protocols import Attribute
from sage_rag.common.exceptions import InputError
from sage_rag.common.stems import stem


@dataclass(frozen=True, slots=True)
class PresetAttribute:
    """An attribute before it is bound to a field: `side` is `asking`, `replying` or `text`."""

    name: str
    side: str
    description: str


@cache
def presets() -> Mapping[str, tuple[PresetAttribute, ...]]:
    """Return the presets by name, attributes in the order of a draft."""
    return {
        name: tuple(
            PresetAttribute(entry["name"], entry["side"], entry["description"])
            for entry in table["attributes"]
        )
        for name, table in load_toml("rules/presets.toml").items()
    }


def preset_form(name: str) -> str:
    """Return the form of the records that a preset is for."""
    return str(load_toml("rules/presets.toml")[name]["form"])


def bound(name: str, fields: Sequence[str]) -> tuple[Attribute, ...]:
    """Return a preset's attributes for records with these fields; every field gets some.

    A dialogue's sides go to the two fields named as such; other fields get the preset `document`.
    The field's name is put before the attribute's where several fields share attributes.

    Raises:
        InputError: when a dialogue's preset is bound to fields without two sides.
    """
    entries = presets()[name]
    if all(entry.side == "text" for entry in entries):
        return _per_field(entries, fields, qualified=len(fields) > 1)
    sides = dialogue_sides(fields)
    if sides is None:
        raise InputError(
            f"attributes `{name}` are for the two sides of a dialogue, and the records have the "
            f"fields {', '.join(fields)}",
            hint="use another preset, or a file ./mine.toml",
        )
    field_of = dict(zip(("asking", "replying"), sides, strict=True))
    others = [field for field in fields if field not in sides]
    of_sides = tuple(Attribute(e.name, field_of[e.side], e.description) for e in entries)
    return of_sides + _per_field(presets()["document"], others, qualified=True)


def _per_field(
    entries: Sequence[PresetAttribute], fields: Sequence[str], *, qualified: bool
) -> tuple[Attribute, ...]:
    return tuple(
        Attribute(f"{field}: {e.name}" if qualified else e.name, field, e.description)
        for field in fields
        for e in entries
    )


@cache
def medical_vocabulary() -> frozenset[str]:
    """Return the stems that distinguish medical dialogues from others."""
    return frozenset(
        map(stem, load_toml("rules/presets.toml")["medical_dialogue"]["vocabulary"].split())
    )
