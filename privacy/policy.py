"""Policies: which operator treats which entity type.

A policy is a TOML file:

    default = "encrypt"                 # every type that the table does not name
    mentions = "linked"                 # or "exact", the default
    part_words = "family-names"         # the default; or "all", "none": see blind_index.py
    allow_plain_direct_identifiers = false

    [operators]
    DATE_TIME = "generalize"
    LOCATION = { operator = "generalize", to = "country" }

    [thresholds]                        # from which score the trained tagger's finds count
    PERSON = 0.05

    [gate]                              # limits for drafts: see sage_rag.privacy.gate.limits
    rouge_l = 0.4
    likeness = "off"
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.blind_index import DEFAULT_PART_WORDS, PartWords
from sage_rag.privacy.entities import TAGGED, EntityType, Identifiability, identifiability
from sage_rag.privacy.gate.limits import GateLimits, Limit, parse_limits
from sage_rag.privacy.operators.generalize import LEVELS
from sage_rag.privacy.operators.surrogate import SURROGATE_TYPES

_MOST_DAYS = 36_500
_MOST_FIGURES = 15
_KEYS = (
    *("default", "mentions", "part_words", "allow_plain_direct_identifiers"),
    *("operators", "thresholds", "gate"),
)


class Operator(StrEnum):
    """What happens to a value."""

    ENCRYPT = "encrypt"
    SURROGATE = "surrogate"
    GENERALIZE = "generalize"
    REDACT = "redact"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class OperatorChoice:
    """An operator with its settings.

    `to`: level of `generalize`. `figures`: significant digits of a rounded QUANTITY. `days`: the
    furthest that `surrogate` moves a document's DATE_TIMEs. `None`: the operator's default.
    """

    operator: Operator
    to: str | None = None
    figures: int | None = None
    days: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """A named choice of operator per entity type. Equal when it treats every type alike.

    `mentions`: whether what is one person in a record ("Ms Keller", "Maria Keller") shares the
    token of the fullest name (`linked`), or every mention keeps its own (`exact`). A text is
    restored to the letter only under `exact`.

    `part_words`: by which parts of a value its record can be found. No text depends on it, so it
    is not in the fingerprint: changing it makes no draft anew.

    `thresholds`: from which calibrated score the trained tagger's finds of a type count, where
    that is not its own choice; lower finds more, and more wrongly. They are the recognizer's to
    apply (`privacy.recognizers.catalog.recognizer_of`), and so in its fingerprint, not here.

    `gate`: limits for drafts, by name, where the recipe's are not to hold. They are the gate's to
    apply, and so in its fingerprint, not here.
    """

    name: str
    choices: Mapping[EntityType, OperatorChoice]
    mentions: Literal["linked", "exact"] = "exact"
    part_words: PartWords = DEFAULT_PART_WORDS
    thresholds: Mapping[EntityType, float] = field(default_factory=dict)
    gate: Mapping[str, Limit] = field(default_factory=dict)

    def limits(self, recipe: GateLimits) -> GateLimits:
        """Return a recipe's limits with this policy's own in their place."""
        own: Mapping[str, Any] = self.gate
        return replace(recipe, **own)

    def choice(self, entity_type: EntityType) -> OperatorChoice:
        """Return operator and settings; technical types always travel as tokens."""
        if identifiability(entity_type) is Identifiability.TECHNICAL:
            return _ENCRYPT
        return self.choices[entity_type]

    def operator(self, entity_type: EntityType) -> Operator:
        """Return the operator alone."""
        return self.choice(entity_type).operator

    @property
    def fingerprint(self) -> str:
        """Twelve hex digits that change with any operator or setting."""
        choices = sorted(
            f"{t}={c.operator}/{c.to}/{c.figures}/{c.days}" for t, c in self.choices.items()
        )
        return hashlib.sha256("\n".join([self.mentions, *choices]).encode()).hexdigest()[:12]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Policy):
            return NotImplemented
        return (self.name, self.fingerprint) == (other.name, other.fingerprint)

    def __hash__(self) -> int:
        return hash((self.name, self.fingerprint))


_ENCRYPT = OperatorChoice(Operator.ENCRYPT)


def load_policy(name_or_path: str) -> Policy:
    """Load a shipped policy by name, or one's own from a file (`./mine.toml`).

    Raises:
        InputError: for an unknown name, a file that cannot be read, or a faulty policy.
    """
    if not name_or_path.endswith(".toml"):
        return preset(name_or_path)
    path = Path(name_or_path)
    try:
        source = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError, ValueError):
        raise InputError(f"cannot read the policy `{path.name}`") from None
    return parse_policy(path.stem, source)


def preset(name: str) -> Policy:
    """Load one of the policies shipped with the package.

    Raises:
        InputError: for an unknown name.
    """
    if name not in preset_names():
        raise InputError(
            f"no policy is called `{name}`",
            hint=f"one of: {', '.join(preset_names())}; or a file: ./mine.toml",
        )
    source = (
        resources.files("sage_rag.privacy").joinpath("policies", f"{name}.toml").read_text("utf-8")
    )
    return parse_policy(name, source)


def preset_names() -> list[str]:
    """Return the names of the shipped policies."""
    folder = resources.files("sage_rag.privacy").joinpath("policies")
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith("toml"))


def parse_policy(name: str, source: str) -> Policy:
    """Read a policy from TOML; strict, so that a misspelt line is never a silent gap.

    Raises:
        InputError: for malformed TOML, an unknown key, type, operator or setting, a type that its
            operator cannot treat, or direct identifiers in clear without the explicit word.
    """
    try:
        parsed = tomllib.loads(source)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise InputError(f"policy `{name}` is not valid TOML: {error}") from None
    where = f"policy `{name}`"
    _only(parsed, _KEYS, where)
    default = _choice(parsed.get("default", "encrypt"), f"{where}, default")
    mentions = _one_of(parsed.get("mentions", "exact"), ("linked", "exact"), f"{where}, mentions")
    part_words = _one_of(
        parsed.get("part_words", DEFAULT_PART_WORDS), tuple(PartWords), f"{where}, part_words"
    )
    table = parsed.get("operators", {})
    if not isinstance(table, dict):
        raise InputError(f"{where}: operators is not a table", hint="write [operators]")
    _only(table, _TYPES, where)
    chosen = {EntityType(t): _choice(c, f"{where}, {t}") for t, c in table.items()}
    choices = {EntityType(t): chosen.get(EntityType(t), default) for t in _TYPES}
    for entity_type, choice in choices.items():
        _check(choice, entity_type, f"{where}, {entity_type}")
    allowed = parsed.get("allow_plain_direct_identifiers", False)
    if not isinstance(allowed, bool):
        raise InputError(f"{where}: allow_plain_direct_identifiers is true or false")
    _check_plain(choices, allowed, where)
    linked: Literal["linked", "exact"] = "linked" if mentions == "linked" else "exact"
    thresholds = _thresholds(parsed.get("thresholds", {}), where)
    gate = parse_limits(parsed.get("gate", {}), where)
    return Policy(name, choices, linked, PartWords(part_words), thresholds, gate)


_TYPES = tuple(t for t in EntityType if identifiability(t) is not Identifiability.TECHNICAL)


def _choice(written: Any, where: str) -> OperatorChoice:
    """Read `"encrypt"` or `{ operator = "generalize", to = "year" }`."""
    table = {"operator": written} if isinstance(written, str) else written
    if not isinstance(table, dict) or "operator" not in table:
        raise InputError(f"{where}: no operator", hint=f"one of: {', '.join(Operator)}")
    operator = Operator(_one_of(table["operator"], tuple(Operator), where))
    _only(table, ("operator", *_SETTINGS), where)
    settings = {key: read(table[key], where) for key, read in _SETTINGS.items() if key in table}
    return OperatorChoice(operator, **settings)


def _thresholds(table: Any, where: str) -> dict[EntityType, float]:
    if not isinstance(table, dict):
        raise InputError(f"{where}: thresholds is not a table", hint="write [thresholds]")
    _only(table, tuple(TAGGED), f"{where}, thresholds")
    for name, written in table.items():
        if type(written) not in (int, float) or not 0 < written <= 1:
            raise InputError(f"{where}: the threshold of {name} is a number above 0, 1 at most")
    return {EntityType(name): float(written) for name, written in table.items()}


def _text(written: Any, where: str) -> str:
    if not isinstance(written, str):
        raise InputError(f"{where}: `to` is a word in quotes")
    return written


def _count(key: str, most: int) -> Callable[[Any, str], int]:
    def read(written: Any, where: str) -> int:
        if type(written) is not int or not 1 <= written <= most:
            raise InputError(f"{where}: `{key}` is a whole number from 1 to {most}")
        return written

    return read


_SETTINGS: Mapping[str, Callable[[Any, str], Any]] = {
    "to": _text,
    "figures": _count("figures", _MOST_FIGURES),
    "days": _count("days", _MOST_DAYS),
}


def _check(choice: OperatorChoice, entity_type: EntityType, where: str) -> None:
    """Refuse an operator that cannot treat the type, and settings that would do nothing."""
    operator = choice.operator
    if operator is Operator.GENERALIZE and entity_type not in LEVELS:
        able = ", ".join(LEVELS)
        raise InputError(f"{where}: cannot be generalized", hint=f"these can: {able}")
    if operator is Operator.SURROGATE and entity_type not in SURROGATE_TYPES:
        raise InputError(f"{where}: has no surrogates", hint="choose another operator for it")
    if choice.to is not None:
        if operator is not Operator.GENERALIZE:
            raise InputError(f"{where}: `to` belongs to generalize")
        _one_of(choice.to, LEVELS[entity_type], where)
    if choice.figures is not None and (operator, entity_type) != _ROUNDED:
        raise InputError(f"{where}: `figures` belongs to generalize for QUANTITY")
    if choice.days is not None and (operator, entity_type) != _SHIFTED:
        raise InputError(f"{where}: `days` belongs to surrogate for DATE_TIME")


_ROUNDED = (Operator.GENERALIZE, EntityType.QUANTITY)
_SHIFTED = (Operator.SURROGATE, EntityType.DATE_TIME)


def _check_plain(choices: Mapping[EntityType, OperatorChoice], allowed: bool, where: str) -> None:
    plain = [
        t
        for t, c in choices.items()
        if c.operator is Operator.KEEP and identifiability(t) is Identifiability.DIRECT
    ]
    if plain and not allowed:
        raise InputError(
            f"{where} keeps direct identifiers in clear: {', '.join(plain)}",
            hint="if that is meant, write allow_plain_direct_identifiers = true",
        )


def _only(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            raise InputError(f"{where}: unknown `{key}`", hint=f"one of: {', '.join(known)}")


def _one_of(written: Any, known: tuple[str, ...], where: str) -> str:
    if not isinstance(written, str) or written not in known:
        raise InputError(f"{where}: unknown `{written}`", hint=f"one of: {', '.join(known)}")
    return written
