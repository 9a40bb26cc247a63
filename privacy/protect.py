"""Protect records: recognise private values and replace them by operators' results.

Only this module builds a `ProtectedText`, and the agents accept nothing else: no plain text can
leave the owner's zone another way.
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
from sage_rag.privacy.operators.places import places_fingerprint
from sage_rag.privacy.operators.redact import redact
from sage_rag.privacy.operators.surrogate import Surrogates
from sage_rag.privacy.people.linking import full_names
from sage_rag.privacy.policy import Operator, Policy
from sage_rag.privacy.protocols import EntityCipher, Recognizer
from sage_rag.privacy.recognizers.disguise.aligned_text import AlignedText
from sage_rag.privacy.recognizers.forms.age_evidence import proven_ages
from sage_rag.privacy.spans import Span, remainder, resolve_overlaps
from sage_rag.privacy.tokens import LOOK_ALIKE, PLACEHOLDER

VERSION = 8
"""Raised with every change of the protected text for the same spans."""
_NEAR = 24
"""Characters around a value that can say what it is: "later than ", ", Ontario"."""

_CONSTRUCTION_KEY = object()
_Replace = Callable[[str, EntityType], str]
"""Returns the placeholder or token of a value."""


def join_fields(fields: Mapping[str, str]) -> str:
    """Return a record's text: its fields in order, one per line."""
    return "\n".join(fields.values())


@dataclass(frozen=True, slots=True)
class Identifier:
    """A plain value of an original. It stays in the owner's zone; `repr` hides it."""

    value: str = field(repr=False)
    entity_type: EntityType


class ProtectedText:
    """A record whose private values are placeholders or coarser values; any model may read it.

    `fields` maps a field's name to its text. Built by `Protector.protect` alone.
    """

    __slots__ = ("fields", "placeholders")

    def __init__(
        self, fields: Mapping[str, str], placeholders: frozenset[str], key: object
    ) -> None:
        if key is not _CONSTRUCTION_KEY:
            raise TypeError("only sage_rag.privacy.protect builds a ProtectedText")
        self.fields = dict(fields)
        self.placeholders = placeholders

    @property
    def text(self) -> str:
        """All fields, joined."""
        return join_fields(self.fields)


@dataclass(frozen=True, slots=True)
class Protection:
    """The protected form of one record: for agents, for `seal`, and for the gate.

    `tokens` maps each placeholder to its token. The others are for the owner only.
    `identifiers`: plain values. `surrogates`: the surrogates in the text, so that the gate can
    distinguish them from values; they would show which names of the text are invented. `kept`:
    values that are as coarse as the policy requires, and stay in the text; they would show which
    values of the text are real.
    """

    protected: ProtectedText
    tokens: Mapping[str, str]
    identifiers: tuple[Identifier, ...] = field(repr=False)
    surrogates: frozenset[str] = field(default=frozenset(), repr=False)
    kept: tuple[Identifier, ...] = field(default=(), repr=False)


def seal(draft: str, tokens: Mapping[str, str]) -> str:
    """Replace each placeholder of a draft by its token.

    Raises:
        ProtectionError: for a placeholder that is not in the record.
    """

    def token(match: re.Match[str]) -> str:
        if match.group() not in tokens:
            raise ProtectionError(f"{match.group()} of the draft is not in its original")
        return tokens[match.group()]

    return PLACEHOLDER.sub(token, draft)


class Protector:
    """Apply one policy with one recognizer and one cipher.

    Guarantees: fails closed: if recognising, encrypting or choosing a surrogate fails, there is no
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
        self._coarsened = [t for t in EntityType if policy.operator(t) is Operator.GENERALIZE]

    @property
    def fingerprint(self) -> str:
        """A short name that changes whenever the protected text could differ."""
        libraries = f"{version('faker')}/{places_fingerprint()}"
        parts = (self._recognizer.fingerprint, self._policy.fingerprint, str(VERSION), libraries)
        surrogates = self._surrogates.fingerprint if self._surrogates else "no-surrogates"
        return "/".join((*parts, surrogates))

    def protect(self, fields: Mapping[str, str], *, passes: int = 1) -> Protection:
        """Protect one record for agents: encrypted values become placeholders.

        Equal values share a placeholder across the fields of a record. Under a policy with
        `mentions = "linked"`, the names of one person do too; the token is of the fullest name.

        `passes`: the maximum number of times that the recognizer reads the text. From the second
        pass on it reads the protected text, until it finds nothing new: it judges by context, so
        where a name is gone it may find a name next to it. Text that is published without a
        rewrite needs more than one pass.

        Raises:
            ProtectionError: when a value cannot be protected; the message contains no value.
        """
        placeholders = _Placeholders()

        def replace_value(value: str, entity_type: EntityType) -> str:
            tokens = encrypt(value, entity_type, self._cipher)
            return "".join(placeholders.of(token, entity_type) for token in tokens)

        encrypts_names = self._policy.operator(EntityType.PERSON) is Operator.ENCRYPT
        linked = encrypts_names and self._policy.mentions == "linked"
        hidden, record = self._apply(fields, replace_value, linked=linked, passes=passes)
        protected = ProtectedText(hidden, frozenset(placeholders.tokens), _CONSTRUCTION_KEY)
        identifiers = tuple(dict.fromkeys(record.identifiers))
        kept = tuple(dict.fromkeys(record.kept))
        return Protection(
            protected, placeholders.tokens, identifiers, frozenset(record.surrogates), kept
        )

    def pseudonymize(self, text: str) -> str:
        """Protect one text for a server: encrypted values become tokens.

        Raises:
            ProtectionError: when a value cannot be protected; the message contains no value.
        """

        def replace_value(value: str, entity_type: EntityType) -> str:
            return "".join(encrypt(value, entity_type, self._cipher))

        return self._apply({"": text}, replace_value, linked=False, passes=1)[0][""]

    def changes(self, text: str) -> list[Span]:
        """Return the spans of a text that the policy replaces or makes coarser, in order.

        Raises:
            SageRagError: when recognising fails.
        """
        spans = self._spans({"": text})
        record = self._record({"": text}, spans, linked=False)
        ages = self._proven_ages(text, spans[""])
        changed = []
        for span in spans[""]:
            value = text[span.start : span.end]
            is_proven = span.entity_type is not EntityType.AGE or span.start in ages
            if self._replaced(text, span, record, is_proven=is_proven) != value:
                changed.append(span)
        return changed

    def _apply(
        self, fields: Mapping[str, str], replace_value: _Replace, *, linked: bool, passes: int
    ) -> tuple[dict[str, str], _Record]:
        try:
            spans = self._spans(fields)
            for _ in range(passes - 1):
                new = {name: self._next_pass(text, spans[name]) for name, text in fields.items()}
                if not any(new.values()):
                    break
                again = find_repetitions(fields, new)
                found = {name: [*spans[name], *new[name], *again[name]] for name in fields}
                spans = {name: resolve_overlaps(found[name]) for name in fields}
            record = self._record(fields, spans, linked=linked)
            hidden = {
                name: "".join(self._rewritten(name, text, spans[name], replace_value, record))
                for name, text in fields.items()
            }
        except SageRagError:
            raise
        except Exception:  # noqa: BLE001 - after any error, nothing may leave in clear
            raise ProtectionError(
                "protecting private values failed, so nothing was sent or stored"
            ) from None
        return hidden, record

    def _rewritten(
        self, name: str, text: str, spans: list[Span], replace_value: _Replace, record: _Record
    ) -> Iterator[str]:
        position = 0
        ages = self._proven_ages(text, spans)
        for span in spans:
            value = text[span.start : span.end]
            yield text[position : span.start]
            position = span.end
            is_proven = span.entity_type is not EntityType.AGE or span.start in ages
            new = self._replaced(text, span, record, is_proven=is_proven)
            if new is not None:
                yield new
                continue
            record.identifiers.append(Identifier(value, span.entity_type))
            if self._policy.without_result(span.entity_type) is Operator.REDACT:
                yield redact(span.entity_type)
            else:
                full = record.full_names.get((name, span.start), value)
                yield replace_value(full, span.entity_type)
        yield text[position:]

    def _proven_ages(self, text: str, spans: list[Span]) -> frozenset[int]:
        """Return the starts of the ages that are shown to be ages, if the policy needs them."""
        operator = self._policy.operator(EntityType.AGE)
        needed = operator in (Operator.GENERALIZE, Operator.SURROGATE)
        return proven_ages(text, spans) if needed else frozenset()

    def _replaced(self, text: str, span: Span, record: _Record, *, is_proven: bool) -> str | None:
        """Return the replacement of a value that no key restores, `None` where there is none.

        A value that is already as coarse as the policy requires stays; it is not an identifier.
        One that is not proven to be of its type is neither made coarser nor given a surrogate: the
        result would be untrue, and no key restores it.
        """
        value, entity_type = text[span.start : span.end], span.entity_type
        choice = self._policy.choice(entity_type)
        if choice.operator is Operator.GENERALIZE:
            coarse = generalize(
                value,
                entity_type,
                before=text[max(0, span.start - _NEAR) : span.start],
                after=text[span.end : span.end + _NEAR],
                to=choice.to,
                figures=choice.figures,
                calendar=record.calendar,
            )
            if coarse is None or not (is_proven or coarse == value):
                return None
            values = record.kept if coarse == value else record.identifiers
            values.append(Identifier(value, entity_type))
            return coarse
        if choice.operator is Operator.SURROGATE and self._surrogates is not None and is_proven:
            record.identifiers.append(Identifier(value, entity_type))
            surrogate = self._surrogates.surrogate(value, entity_type, record.calendar)
            if surrogate != coarse_time(value):  # coarse times occur in any text
                record.surrogates.add(surrogate)
            return surrogate
        return None

    def _spans(self, fields: Mapping[str, str]) -> dict[str, list[Span]]:
        """Return disjoint spans by field; text that imitates our markup counts as a value too."""
        # Types that the policy keeps are dropped first: unifying must give no value a type that
        # leaves it in the text. A generalized type is the last choice for the same reason: the
        # nurse Georgia, read as a place, is a region and would stay.
        found = unify_types(
            fields,
            {
                name: drop_kept(
                    self._recognizer.recognize(text),
                    lambda t: self._policy.operator(t) is Operator.KEEP,
                )
                for name, text in fields.items()
            },
            self._coarsened,
        )
        again = find_repetitions(fields, found)
        # An imitation may lie inside a longer value, such as a URL, and a value inside an
        # imitation: `resolve_overlaps` keeps the longer of the two whole.
        return {
            name: list(
                _trimmed(text, resolve_overlaps([*found[name], *again[name], *_imitations(text)]))
            )
            for name, text in fields.items()
        }

    def _next_pass(self, text: str, spans: list[Span]) -> list[Span]:
        """Return direct identifiers that the recognizer finds without the values of `spans`."""
        view = AlignedText.unchanged(text).edited(
            (s.start, s.end, self._visible_text(text, s)) for s in spans
        )
        found = map(view.original_span, self._recognizer.recognize(view.text))
        return [
            span
            for whole in found
            if identifiability(whole.entity_type) is Identifiability.DIRECT
            and self._policy.operator(whole.entity_type) is not Operator.KEEP
            for span in remainder(whole, spans)
            if any(map(str.isalnum, text[span.start : span.end]))
        ]

    def _visible_text(self, text: str, span: Span) -> str:
        """Return the text that a reader sees for a span: a surrogate, or spaces."""
        has_surrogate = self._policy.operator(span.entity_type) is Operator.SURROGATE
        is_date = span.entity_type is EntityType.DATE_TIME  # moved later, by the record's calendar
        if has_surrogate and self._surrogates is not None and not is_date:
            value = text[span.start : span.end]
            return self._surrogates.surrogate(value, span.entity_type, Calendar())
        return " " * len(f"[{span.entity_type}_1]")

    def _record(
        self, fields: Mapping[str, str], spans: Mapping[str, list[Span]], *, linked: bool
    ) -> _Record:
        """Return the calendar and the full names of a record, which replacing its values needs."""
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


def _trimmed(text: str, spans: list[Span]) -> Iterator[Span]:
    """Yield the spans without white space at their ends, which resolved overlaps can have."""
    for span in spans:
        value = text[span.start : span.end]
        start, end = span.end - len(value.lstrip()), span.start + len(value.rstrip())
        if start < end:
            yield span if end - start == len(span) else replace(span, start=start, end=end)


@dataclass(slots=True)
class _Record:
    """The state of one record while it is protected. Plain values: it stays in this module."""

    calendar: Calendar = field(default_factory=Calendar)
    full_names: Mapping[tuple[str, int], str] = field(default_factory=dict, repr=False)
    identifiers: list[Identifier] = field(default_factory=list, repr=False)
    surrogates: set[str] = field(default_factory=set, repr=False)
    kept: list[Identifier] = field(default_factory=list, repr=False)


class _Placeholders:
    """Numbers the tokens of a record per entity type."""

    def __init__(self) -> None:
        self.tokens: dict[str, str] = {}
        self._placeholders: dict[str, str] = {}
        self._counts: dict[EntityType, int] = {}

    def of(self, token: str, entity_type: EntityType) -> str:
        if token not in self._placeholders:
            self._counts[entity_type] = self._counts.get(entity_type, 0) + 1
            name = f"[{entity_type}_{self._counts[entity_type]}]"
            self._placeholders[token] = name
            self.tokens[name] = token
        return self._placeholders[token]
