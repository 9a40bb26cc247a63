"""Protect: recognise private values and put operators' results in their place.

The one door between plain text and everything that may leave: only this module builds a
`ProtectedText`, and the agents accept nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from privacy.entities import EntityType
from privacy.exceptions import DecryptionError, ProtectionError, SageRagError
from privacy.fingerprints import source_digest
from privacy.operators import generalize, redact
from privacy.policy import Operator, Policy
from privacy.protocols import EntityCipher, Recognizer
from privacy.spans import Span, resolve_overlaps
from privacy.tokens import PLACEHOLDER, TOKEN, TOKENS, StreamReplacer

_DOOR = object()
_PIECE_CHARS = 700
"""At most four bytes each: well within one token."""
_LOOK_ALIKE = re.compile(f"{TOKEN.pattern}|{PLACEHOLDER.pattern}")


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
            raise TypeError("only privacy.protect builds a ProtectedText")
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
    """

    protected: ProtectedText
    tokens: Mapping[str, str]
    identifiers: tuple[Identifier, ...] = field(repr=False)


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

    Guarantees: fails closed. If recognising or encrypting fails, there is no result.
    Does not guarantee: that the recognizer finds every private value.
    """

    def __init__(self, recognizer: Recognizer, policy: Policy, cipher: EntityCipher) -> None:
        self._recognizer = recognizer
        self._policy = policy
        self._cipher = cipher

    @property
    def fingerprint(self) -> str:
        """A short name that changes whenever the protected text could differ."""
        operators = source_digest("privacy", "protect.py", "operators.py", "spans.py")
        return f"{self._recognizer.fingerprint}/{self._policy.fingerprint}/{operators}"

    def protect(self, fields: Mapping[str, str]) -> Protection:
        """Protect one record for agents: encrypted values become placeholders.

        Equal values share a placeholder across the fields of a record.

        Raises:
            ProtectionError: when a value cannot be protected; names no value.
        """
        numbering = _Numbering()
        identifiers: list[Identifier] = []

        def put(value: str, entity_type: EntityType) -> str:
            identifiers.append(Identifier(value, entity_type))
            return numbering.placeholder(self._cipher.encrypt(value, entity_type), entity_type)

        hidden = {name: self._apply(text, put, identifiers) for name, text in fields.items()}
        protected = ProtectedText(hidden, frozenset(numbering.tokens), _DOOR)
        return Protection(protected, numbering.tokens, tuple(dict.fromkeys(identifiers)))

    def pseudonymize(self, text: str) -> str:
        """Protect one text for travel: encrypted values become tokens."""
        return self._apply(text, self._cipher.encrypt, [])

    def _apply(
        self, text: str, encrypt: Callable[[str, EntityType], str], seen: list[Identifier]
    ) -> str:
        try:
            spans = self._spans(text)
        except SageRagError:
            raise
        except Exception:  # noqa: BLE001 - whatever a recognizer raises, nothing may go on in clear
            raise ProtectionError(
                "recognising private values failed, so nothing was sent or stored"
            ) from None
        parts, position = [], 0
        for span in spans:
            value = text[span.start : span.end]
            operator = self._policy.operator(span.entity_type)
            parts.append(text[position : span.start])
            if operator is Operator.ENCRYPT:
                parts += [encrypt(piece, span.entity_type) for piece in _pieces(value)]
            elif operator is Operator.KEEP:
                parts.append(value)
            else:
                seen.append(Identifier(value, span.entity_type))
                coarse = operator is Operator.GENERALIZE
                parts.append(
                    generalize(value, span.entity_type) if coarse else redact(span.entity_type)
                )
            position = span.end
        return "".join([*parts, text[position:]])

    def _spans(self, text: str) -> list[Span]:
        """Return disjoint spans; text that imitates our markup counts as a value too."""
        imitations = [
            Span(m.start(), m.end(), EntityType.LITERAL, 1.0) for m in _LOOK_ALIKE.finditer(text)
        ]
        # An imitation inside a longer value (a URL, say) must not be cut out of it, and a value
        # inside an imitation must not break it: `resolve_overlaps` keeps the longer of the two.
        return resolve_overlaps([*self._recognizer.recognize(text), *imitations])


def _pieces(value: str) -> list[str]:
    """Cut a value that is too long for one token; side by side, its tokens restore to it."""
    return [value[i : i + _PIECE_CHARS] for i in range(0, len(value), _PIECE_CHARS)]


class Restorer:
    """Turn tokens back into plain values with whatever keys are at hand."""

    def __init__(self, cipher: EntityCipher) -> None:
        self._cipher = cipher

    def restore(self, text: str) -> str:
        """Return the text with each token as its value.

        A token that cannot be opened is shown as `[PERSON: unreadable]`, never as a guess.
        """
        return TOKEN.sub(self._value, text)

    def stream(self) -> StreamReplacer:
        """Return a restorer for text that arrives in pieces."""
        return StreamReplacer(TOKENS, self._value)

    def _value(self, match: re.Match[str]) -> str:
        try:
            return self._cipher.decrypt(match.group())
        except DecryptionError:
            return f"[{match.group(1)}: unreadable]"


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
