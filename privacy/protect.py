"""Protect: recognise private values and put operators' results in their place.

The one door between plain text and everything that may leave: only this module builds a
`ProtectedText`, and the agents accept nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version

from sage_rag.common.exceptions import ProtectionError, SageRagError
from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.occurrences import find_repetitions, unify_types
from sage_rag.privacy.operators.dates import Calendar
from sage_rag.privacy.operators.durations import coarse_time
from sage_rag.privacy.operators.encrypt import encrypt
from sage_rag.privacy.operators.generalize import generalize
from sage_rag.privacy.operators.keep import drop_kept
from sage_rag.privacy.operators.places import places_version
from sage_rag.privacy.operators.redact import redact
from sage_rag.privacy.operators.surrogate import Surrogates
from sage_rag.privacy.people.linking import full_names
from sage_rag.privacy.policy import Operator, Policy
from sage_rag.privacy.protocols import EntityCipher, Recognizer
from sage_rag.privacy.recognizers.disguise.views import View
from sage_rag.privacy.spans import Span, remainder, resolve_overlaps
from sage_rag.privacy.tokens import LOOK_ALIKE, PLACEHOLDER

VERSION = 1
"""Raised with every change of the protected text from the same spans."""

_DOOR = object()
_Put = Callable[[str, EntityType], str]


def join_fields(fields: Mapping[str, str]) -> str:
    """Return a record's text: its fields in order, one per line."""
    return "\n".join(fields.values())


@dataclass(frozen=True, slots=True)
class Identifier:
    """A plain value found in an original. Stays in the owner's zone; `repr` hides it."""

    value: str = field(repr=False)
    entity_type: EntityType


class ProtectedText:
    """A record whose private values are placeholders or coarser values: safe for any model.

    `fields` maps a field's name to its text. Built by `Protector.protect` alone.
    """

    __slots__ = ("fields", "placeholders")

    def __init__(
        self, fields: Mapping[str, str], placeholders: frozenset[str], door: object
    ) -> None:
        if door is not _DOOR:
            raise TypeError("only sage_rag.privacy.protect builds a ProtectedText")
        self.fields = dict(fields)
        self.placeholders = placeholders

    @property
    def text(self) -> str:
        """All fields joined."""
        return join_fields(self.fields)


@dataclass(frozen=True, slots=True)
class Protection:
    """What protecting one record gave: for agents, for `seal`, and for the gate.

    `tokens` maps each placeholder to its token. `identifiers` holds plain values: owner only.
    `surrogates` are the stand-ins that the text shows, so that the gate knows them from values;
    owner only too, since they tell which of a text's names are none. `kept`: values as coarse as
    the policy asks, which stay in the text; owner only, since they tell what is a person's own.
    """

    protected: ProtectedText
    tokens: Mapping[str, str]
    identifiers: tuple[Identifier, ...] = field(repr=False)
    surrogates: frozenset[str] = field(default=frozenset(), repr=False)
    kept: tuple[Identifier, ...] = field(default=(), repr=False)


def seal(draft: str, tokens: Mapping[str, str]) -> str:
    """Replace each placeholder of a draft by its token.

    Raises:
        ProtectionError: for a placeholder that the record does not have.
    """

    def token(match: re.Match[str]) -> str:
        if match.group() not in tokens:
            raise ProtectionError(f"the draft holds {match.group()}, which its original has not")
        return tokens[match.group()]

    return PLACEHOLDER.sub(token, draft)


class Protector:
    """Apply one policy with one recognizer and one cipher.

    Guarantees: fails closed. If recognising, encrypting or choosing a stand-in fails, there is no
    result.
    Does not guarantee: that the recognizer finds every private value.
    """

    def __init__(
        self,
        recognizer: Recognizer,
        policy: Policy,
        cipher: EntityCipher,
        surrogates: Surrogates | None = None,
    ) -> None:
        uses_surrogates = any(policy.operator(t) is Operator.SURROGATE for t in EntityType)
        if uses_surrogates and surrogates is None:
            raise ValueError(f"policy {policy.name} needs surrogates")
        self._recognizer = recognizer
        self._policy = policy
        self._cipher = cipher
        self._surrogates = surrogates if uses_surrogates else None

    @property
    def fingerprint(self) -> str:
        """A short name that changes whenever the protected text could differ."""
        libraries = f"{version('faker')}/{places_version()}"
        parts = (self._recognizer.fingerprint, self._policy.fingerprint, str(VERSION), libraries)
        surrogates = self._surrogates.fingerprint if self._surrogates else "no-surrogates"
        return "/".join((*parts, surrogates))

    def protect(self, fields: Mapping[str, str], *, passes: int = 1) -> Protection:
        """Protect one record for agents: encrypted values become placeholders.

        Equal values share a placeholder across the fields of a record; under a policy with
        `mentions = "linked"`, so do the names of one person, whose token is the fullest name.

        `passes`: how often the recognizer reads the text, from the second time on as others will
        see it. A trained recognizer judges by context, and with a name gone from a sentence it
        may take the word beside it for one. Text that is published as it stands is read until
        nothing new is found, at most so often.

        Raises:
            ProtectionError: when a value cannot be protected; names no value.
        """
        numbering = _Numbering()

        def put(value: str, entity_type: EntityType) -> str:
            tokens = encrypt(value, entity_type, self._cipher)
            return "".join(numbering.placeholder(token, entity_type) for token in tokens)

        encrypts_names = self._policy.operator(EntityType.PERSON) is Operator.ENCRYPT
        linked = encrypts_names and self._policy.mentions == "linked"
        hidden, record = self._apply(fields, put, linked=linked, passes=passes)
        protected = ProtectedText(hidden, frozenset(numbering.tokens), _DOOR)
        identifiers = tuple(dict.fromkeys(record.identifiers))
        kept, stand_ins = tuple(dict.fromkeys(record.kept)), frozenset(record.surrogates)
        return Protection(protected, numbering.tokens, identifiers, stand_ins, kept)

    def pseudonymize(self, text: str) -> str:
        """Protect one text for travel: encrypted values become tokens, each value its own.

        Raises:
            ProtectionError: when a value cannot be protected; names no value.
        """

        def put(value: str, entity_type: EntityType) -> str:
            return "".join(encrypt(value, entity_type, self._cipher))

        return self._apply({"": text}, put, linked=False, passes=1)[0][""]

    def _apply(
        self, fields: Mapping[str, str], put: _Put, *, linked: bool, passes: int
    ) -> tuple[dict[str, str], _Record]:
        try:
            spans = self._spans(fields)
            for _ in range(passes - 1):
                more = {name: self._second_look(text, spans[name]) for name, text in fields.items()}
                if not any(more.values()):
                    break
                spans = {name: resolve_overlaps([*spans[name], *more[name]]) for name in fields}
            record = self._record(fields, spans, linked=linked)
            hidden = {
                name: "".join(self._rewritten(name, text, spans[name], put, record))
                for name, text in fields.items()
            }
        except SageRagError:
            raise
        except Exception:  # noqa: BLE001 - whatever is raised below, nothing may go on in clear
            raise ProtectionError(
                "protecting private values failed, so nothing was sent or stored"
            ) from None
        return hidden, record

    def _rewritten(
        self, name: str, text: str, spans: list[Span], put: _Put, record: _Record
    ) -> Iterator[str]:
        position = 0
        for span in spans:
            value = text[span.start : span.end]
            yield text[position : span.start]
            if self._policy.operator(span.entity_type) is Operator.ENCRYPT:
                full = record.full_names.get((name, span.start), value)
                record.identifiers.append(Identifier(value, span.entity_type))
                yield put(full, span.entity_type)
            else:
                yield self._replaced(value, span.entity_type, record)
            position = span.end
        yield text[position:]

    def _replaced(self, value: str, entity_type: EntityType, record: _Record) -> str:
        """Return what stands for a value that no key shall restore.

        A value that is as coarse as the policy asks stays, and is no identifier.
        """
        choice = self._policy.choice(entity_type)
        if choice.operator is Operator.GENERALIZE:
            coarse = generalize(
                value,
                entity_type,
                to=choice.to,
                figures=choice.figures,
                calendar=record.calendar,
            )
            known_as = record.kept if coarse == value else record.identifiers
            known_as.append(Identifier(value, entity_type))
            return coarse
        record.identifiers.append(Identifier(value, entity_type))
        if choice.operator is Operator.SURROGATE and self._surrogates is not None:
            found = self._surrogates.surrogate(value, entity_type, record.calendar)
            if found != coarse_time(value):  # such words stand in any text
                record.surrogates.add(found)
            return found
        return redact(entity_type)

    def _spans(self, fields: Mapping[str, str]) -> dict[str, list[Span]]:
        """Return disjoint spans by field; text that imitates our markup counts as a value too."""
        # After what is kept has gone: no value may take a type that leaves it in the text. Nor a
        # type that is made coarser: nurse Georgia would be as coarse as a region already.
        found = unify_types(
            fields,
            {
                name: drop_kept(
                    self._recognizer.recognize(text),
                    lambda t: self._policy.operator(t) is Operator.KEEP,
                )
                for name, text in fields.items()
            },
            [t for t in EntityType if self._policy.operator(t) is Operator.GENERALIZE],
        )
        again = find_repetitions(fields, found)
        # An imitation inside a longer value (a URL, say) must not be cut out of it, and a value
        # inside an imitation must not break it: `resolve_overlaps` keeps the longer of the two.
        return {
            name: list(
                _without_margins(
                    text, resolve_overlaps([*found[name], *again[name], *_imitations(text)])
                )
            )
            for name, text in fields.items()
        }

    def _second_look(self, text: str, spans: list[Span]) -> list[Span]:
        """Return the direct identifiers that show once the values of `spans` are gone."""
        view = View.of(text).edited((s.start, s.end, self._in_place_of(text, s)) for s in spans)
        found = map(view.original, self._recognizer.recognize(view.text))
        return [
            span
            for whole in found
            if identifiability(whole.entity_type) is Identifiability.DIRECT
            and self._policy.operator(whole.entity_type) is not Operator.KEEP
            for span in remainder(whole, spans)
            if any(map(str.isalnum, text[span.start : span.end]))
        ]

    def _in_place_of(self, text: str, span: Span) -> str:
        """Return what a reader sees there: a stand-in, or room that says nothing."""
        stands_in = self._policy.operator(span.entity_type) is Operator.SURROGATE
        is_date = span.entity_type is EntityType.DATE_TIME  # moved by the record's calendar, later
        if stands_in and self._surrogates is not None and not is_date:
            value = text[span.start : span.end]
            return self._surrogates.surrogate(value, span.entity_type, Calendar())
        return " " * len(f"[{span.entity_type}_1]")

    def _record(
        self, fields: Mapping[str, str], spans: Mapping[str, list[Span]], *, linked: bool
    ) -> _Record:
        """Return what must be known of a record as a whole before its values are replaced."""
        record = _Record()
        dates = self._policy.choice(EntityType.DATE_TIME)
        if dates.operator in (Operator.GENERALIZE, Operator.SURROGATE):
            text = join_fields(fields)
            values = [
                fields[name][s.start : s.end]
                for name, found in spans.items()
                for s in found
                if s.entity_type is EntityType.DATE_TIME
            ]
            shift = None
            if self._surrogates is not None and dates.operator is Operator.SURROGATE and values:
                shift = self._surrogates.shift_days(text, dates.days)
            record.calendar = Calendar.of(text, values, shift)
        if linked:
            record.full_names = full_names(fields, spans)
        return record


def _imitations(text: str) -> list[Span]:
    return [Span(*m.span(), EntityType.LITERAL, 1.0) for m in LOOK_ALIKE.finditer(text)]


def _without_margins(text: str, spans: list[Span]) -> Iterator[Span]:
    """Yield the spans without white space at their ends, as what an overlap left over has."""
    for span in spans:
        value = text[span.start : span.end]
        start, end = span.end - len(value.lstrip()), span.start + len(value.rstrip())
        if start < end:
            yield span if end - start == len(span) else replace(span, start=start, end=end)


@dataclass(slots=True)
class _Record:
    """One record while it is protected. Holds plain values: never leaves this module."""

    calendar: Calendar = field(default_factory=Calendar)
    full_names: Mapping[tuple[str, int], str] = field(default_factory=dict, repr=False)
    identifiers: list[Identifier] = field(default_factory=list, repr=False)
    surrogates: set[str] = field(default_factory=set, repr=False)
    kept: list[Identifier] = field(default_factory=list, repr=False)


class _Numbering:
    """Give each token of a record a placeholder, counted per entity type."""

    def __init__(self) -> None:
        self.tokens: dict[str, str] = {}
        self._placeholders: dict[str, str] = {}
        self._counts: dict[EntityType, int] = {}

    def placeholder(self, token: str, entity_type: EntityType) -> str:
        if token not in self._placeholders:
            self._counts[entity_type] = self._counts.get(entity_type, 0) + 1
            name = f"[{entity_type}_{self._counts[entity_type]}]"
            self._placeholders[token] = name
            self.tokens[name] = token
        return self._placeholders[token]
