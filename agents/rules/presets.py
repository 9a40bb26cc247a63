"""Presets of attributes, and the cue words by which a sentence is assigned to one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from agents.protocols import Attribute
from agents.rules.lexicon import content_stems, load_toml, stem


@dataclass(frozen=True, slots=True)
class PresetAttribute:
    """An attribute before it is bound to a field: `side` is `asking`, `replying` or `text`."""

    name: str
    side: str
    description: str
    cues: frozenset[str]


@cache
def presets() -> Mapping[str, tuple[PresetAttribute, ...]]:
    """Return the presets by name, attributes in the order in which a draft tells them."""
    return {
        name: tuple(
            PresetAttribute(
                entry["name"],
                entry["side"],
                entry["description"],
                frozenset(map(stem, entry["cues"].split())),
            )
            for entry in table["attributes"]
        )
        for name, table in load_toml("presets.toml").items()
    }


@cache
def medical_vocabulary() -> frozenset[str]:
    """Return the stems by which medical dialogues are told from others."""
    return frozenset(map(stem, load_toml("presets.toml")["medical_dialogue"]["vocabulary"].split()))


@lru_cache(maxsize=1024)
def cues(attribute: Attribute) -> frozenset[str]:
    """Return the stems that speak for an attribute: its preset's, or its description's."""
    for preset in presets().values():
        for entry in preset:
            if entry.description == attribute.description:
                return entry.cues
    return frozenset(content_stems(f"{attribute.name} {attribute.description}"))
