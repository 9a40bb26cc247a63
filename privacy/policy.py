"""Policies: which operator treats which entity type."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources

from privacy.entities import EntityType, Identifiability, identifiability
from privacy.exceptions import InputError


class Operator(StrEnum):
    """What happens to a value."""

    ENCRYPT = "encrypt"
    GENERALIZE = "generalize"
    REDACT = "redact"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class Policy:
    """A named choice of operator per entity type."""

    name: str
    operators: Mapping[EntityType, Operator]

    def operator(self, entity_type: EntityType) -> Operator:
        """Return the operator; technical types always travel as tokens."""
        if identifiability(entity_type) is Identifiability.TECHNICAL:
            return Operator.ENCRYPT
        return self.operators[entity_type]

    @property
    def fingerprint(self) -> str:
        """Twelve hex digits that change with any operator."""
        choices = sorted(f"{t}={o}" for t, o in self.operators.items())
        return hashlib.sha256("\n".join(choices).encode()).hexdigest()[:12]


def preset(name: str) -> Policy:
    """Load one of the policies shipped with the package.

    Raises:
        InputError: for an unknown name.
    """
    if name not in preset_names():
        raise InputError(
            f"no policy is called `{name}`", hint=f"one of: {', '.join(preset_names())}"
        )
    source = resources.files("privacy").joinpath("policies", f"{name}.toml").read_text("utf-8")
    return parse_policy(name, source)


def preset_names() -> list[str]:
    """Return the names of the shipped policies."""
    folder = resources.files("privacy").joinpath("policies")
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith("toml"))


def parse_policy(name: str, source: str) -> Policy:
    """Read a policy from TOML: `default = "encrypt"` and a table `[operators]`.

    Raises:
        InputError: for malformed TOML, unknown entity types or operators.
    """
    try:
        parsed = tomllib.loads(source)
        default = Operator(parsed.get("default", Operator.ENCRYPT))
        chosen = {EntityType(k): Operator(v) for k, v in parsed.get("operators", {}).items()}
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise InputError(f"policy `{name}`: {error}") from None
    operators = {t: chosen.get(t, default) for t in EntityType}
    plain = [
        t
        for t, o in operators.items()
        if o is Operator.KEEP and identifiability(t) is Identifiability.DIRECT
    ]
    if plain and not parsed.get("allow_plain_direct_identifiers", False):
        raise InputError(
            f"policy `{name}` keeps direct identifiers in clear: {', '.join(plain)}",
            hint="if that is meant, write allow_plain_direct_identifiers = true",
        )
    return Policy(name, operators)
