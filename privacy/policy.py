"""Policies: an operator for each entity type.

A policy is a TOML file:

    default = "encrypt"                 # for types that [operators] does not list
    mentions = "linked"                 # or "exact", the default
    part_words = "family-names"         # the default; or "all", "none": see blind_index.py
    allow_plain_direct_identifiers = false

    [operators]
    DATE_TIME = "generalize"
    LOCATION = { operator = "generalize", to = "country" }

    [thresholds]                        # minimum scores for spans of the trained tagger
    PERSON = 0.05

    [gate]                              # limits for drafts: see privacy/gate/limits.py
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
    """The treatment of a value."""

    ENCRYPT = "encrypt"
    SURROGATE = "surrogate"
    GENERALIZE = "generalize"
    REDACT = "redact"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class OperatorChoice:
    """An operator with its settings.

    `to`: level of `generalize`. `figures`: significant digits of a rounded QUANTITY. `days`: the
    maximum shift of a document's DATE_TIMEs by `surrogate`. `None`: the operator's default.
    """

    operator: Operator
    to: str | None = None
    figures: int | None = None
    days: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """A named choice of operator per entity type. Equal policies treat every type the same.

    `mentions`: whether the mentions of one person in a record ("Ms Keller", "Maria Keller") share
    the token of the fullest name (`linked`), or each one has its own token (`exact`). Only under
    `exact` is a text restored exactly.

    `part_words`: the parts of a value by which its record can be found. No text depends on them,
    so they are not in the fingerprint: a change requires no new draft.

    `thresholds`: minimum calibrated scores for spans of the trained tagger, by type, in place of
    its own; a lower one finds more values and more errors. The recognizer applies them
    (`privacy.recognizers.catalog.recognizer_of`), so they are in its fingerprint.

    `gate`: limits for drafts, by name, in place of the recipe's. The gate applies them, so they
    are in its fingerprint.
    """

    name: str
    choices: Mapping[EntityType, OperatorChoice]
    mentions: Literal["linked", "exact"] = "exact"
    part_words: PartWords = DEFAULT_PART_WORDS
    thresholds: Mapping[EntityType, float] = field(default_factory=dict)
    gate: Mapping[str, Limit] = field(default_factory=dict)

    def limits(self, recipe: GateLimits) -> GateLimits:
        """Return a recipe's limits with those of this policy in their place."""
        limits: Mapping[str, Any] = self.gate
        return replace(recipe, **limits)

    def choice(self, entity_type: EntityType) -> OperatorChoice:
        """Return operator and settings; technical types are always encrypted."""
        if identifiability(entity_type) is Identifiability.TECHNICAL:
            return _ENCRYPT
        return self.choices[entity_type]

    def operator(self, entity_type: EntityType) -> Operator:
        """Return the operator alone."""
        return self.choice(entity_type).operator

    def without_result(self, entity_type: EntityType) -> Operator:
        """Return the operator of a value that its own cannot treat: `encrypt` or `redact`.

        `encrypt` where the policy encrypts names: then its reader has keys. `redact` elsewhere, and
        for a type that the policy redacts.
        """
        own, names = self.operator(entity_type), self.operator(EntityType.PERSON)
        encrypts = own is Operator.ENCRYPT or (
            own is not Operator.REDACT and names is Operator.ENCRYPT
        )
        return Operator.ENCRYPT if encrypts else Operator.REDACT

    def no_weaker_than(self, other: Policy) -> Policy:
        """Return this policy with the other's operator for each type that it treats less strictly.

        `keep` is weaker than `generalize`, and that than the operators that hide a value whole.
        Settings are not compared: of two that generalize, this policy's level stays.
        """
        choices = {
            t: other.choices[t] if _strictness(c) < _strictness(other.choices[t]) else c
            for t, c in self.choices.items()
        }
        return replace(self, choices=choices)

    def to_json(self) -> dict[str, Any]:
        """Return what decides how a text is protected, and by which words it is found, as JSON."""
        choices = {str(t): [c.operator, c.to, c.figures, c.days] for t, c in self.choices.items()}
        parts, mentions = str(self.part_words), self.mentions
        return {"name": self.name, "choices": choices, "mentions": mentions, "part_words": parts}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Policy:
        """Return a policy from `to_json`; types that are newer than it are encrypted.

        Strict, since what it reads may be forged, or damaged.

        Raises:
            ValueError, LookupError, TypeError or AttributeError: for what `to_json` did not write.
        """
        read = {
            EntityType(name): _stored_choice(EntityType(name), operator, settings)
            for name, (operator, *settings) in stored["choices"].items()
        }
        choices = {t: read.get(t, _ENCRYPT) for t in _TYPES}
        part_words = PartWords(stored["part_words"])
        if stored["mentions"] not in ("linked", "exact"):
            raise ValueError("policy: unknown mentions")
        return cls(str(stored["name"]), choices, stored["mentions"], part_words)

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


def _strictness(choice: OperatorChoice) -> int:
    return {Operator.KEEP: 0, Operator.GENERALIZE: 1}.get(choice.operator, 2)


def load_policy(name_or_path: str) -> Policy:
    """Load a shipped policy by name, or a file (`./mine.toml`).

    Raises:
        InputError: for an unknown name, an unreadable file, or an invalid policy.
    """
    if not name_or_path.endswith(".toml"):
        return preset(name_or_path)
    path = Path(name_or_path)
    try:
        source = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError):
        raise InputError(f"cannot read the policy `{path.name}`") from None
    return parse_policy(path.stem, source)


def preset(name: str) -> Policy:
    """Load a policy that is shipped with the package.

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
    """Parse a policy in TOML. Strict, since an ignored misspelling would leave values in clear.

    Raises:
        InputError: for malformed TOML, an unknown key, type, operator or setting, a type that its
            operator cannot treat, or direct identifiers in clear without
            `allow_plain_direct_identifiers`.
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
    table = _table(parsed, "operators", _TYPES, where)
    chosen = {t: _choice(c, f"{where}, {t}") for t, c in table.items()}
    choices = {t: chosen.get(t, default) for t in _TYPES}
    for entity_type, choice in choices.items():
        _check(choice, entity_type, f"{where}, {entity_type}")
    allowed = parsed.get("allow_plain_direct_identifiers", False)
    if not isinstance(allowed, bool):
        raise InputError(f"{where}: allow_plain_direct_identifiers is true or false")
    _check_plain(choices, allowed, where)
    thresholds = _thresholds(_table(parsed, "thresholds", TAGGED, where), where)
    gate = parse_limits(parsed.get("gate", {}), where)
    linked: Literal["linked", "exact"] = "linked" if mentions == "linked" else "exact"
    return Policy(name, choices, linked, PartWords(part_words), thresholds, gate)


_TYPES = tuple(t for t in EntityType if identifiability(t) is not Identifiability.TECHNICAL)


def _stored_choice(entity_type: EntityType, operator: Any, settings: list[Any]) -> OperatorChoice:
    """Read what `Policy.to_json` wrote for one type."""
    named = zip(_SETTINGS, settings, strict=True)
    given = {key: value for key, value in named if value is not None}
    try:
        choice = _choice({"operator": operator, **given}, "policy")
        _check(choice, entity_type, "policy")
    except InputError as error:
        raise ValueError(error.message) from None
    return choice


def _choice(written: Any, where: str) -> OperatorChoice:
    """Read `"encrypt"` or `{ operator = "generalize", to = "year" }`."""
    table = {"operator": written} if isinstance(written, str) else written
    if not isinstance(table, dict) or "operator" not in table:
        raise InputError(f"{where}: no operator", hint=f"one of: {', '.join(Operator)}")
    operator = Operator(_one_of(table["operator"], tuple(Operator), where))
    _only(table, ("operator", *_SETTINGS), where)
    settings = {key: read(table[key], where) for key, read in _SETTINGS.items() if key in table}
    return OperatorChoice(operator, **settings)


def _table(
    parsed: Mapping[str, Any], name: str, known: tuple[str, ...], where: str
) -> Mapping[str, Any]:
    table = parsed.get(name, {})
    if not isinstance(table, dict):
        raise InputError(f"{where}: {name} is not a table", hint=f"write [{name}]")
    _only(table, known, f"{where}, {name}")
    return table


def _thresholds(table: Mapping[str, Any], where: str) -> dict[EntityType, float]:
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
    """Refuse an operator that cannot treat the type, and settings that have no effect."""
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
            hint="if you want this, write allow_plain_direct_identifiers = true",
        )


def _only(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            raise InputError(f"{where}: unknown `{key}`", hint=f"one of: {', '.join(known)}")


def _one_of(written: Any, known: tuple[str, ...], where: str) -> str:
    if not isinstance(written, str) or written not in known:
        raise InputError(f"{where}: unknown `{written}`", hint=f"one of: {', '.join(known)}")
    return written
