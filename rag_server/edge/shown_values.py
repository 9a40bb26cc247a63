"""The values that an edge restored, so that a server cannot have them sent back in clear.

Chat clients send an answer back with the next question. A hostile server could write "the
PERSON_[...] syndrome": a recognizer reads the restored name as a disease, and would leave it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.policy import Operator, OperatorChoice, Policy
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.spans import Span

MOST_VALUES = 100_000
_PREFIX = 4
"""Shorter values are found as whole words only, since any text contains their letters."""


class ShownValues:
    """Finds in a text the values that were shown before, in time linear in the text.

    Guarantees: in a text of the server, a value of at least four characters is found wherever it
    occurs in the same spelling, and a shorter one where it is a whole word.
    Does not guarantee: this after `most` other values, in another spelling, or after a restart.
    """

    def __init__(self, most: int = MOST_VALUES) -> None:
        """`most`: values that are kept, in memory; the one shown longest ago is dropped."""
        self._most = most
        self._types: OrderedDict[str, EntityType] = OrderedDict()
        self._by_prefix: dict[str, dict[str, None]] = {}
        self._lock = threading.Lock()

    def add(self, value: str, entity_type: EntityType) -> None:
        """Keep a value that a user has read, with the type of its token."""
        if not any(map(str.isalnum, value)):
            return
        with self._lock:
            self._types[value] = entity_type
            self._types.move_to_end(value)
            self._by_prefix.setdefault(value[:_PREFIX], {})[value] = None
            while len(self._types) > self._most:
                dropped, _ = self._types.popitem(last=False)
                alike = self._by_prefix[dropped[:_PREFIX]]
                del alike[dropped]
                if not alike:
                    del self._by_prefix[dropped[:_PREFIX]]

    def spans(self, text: str, *, by_server: bool) -> tuple[Span, ...]:
        """Return the spans of shown values, disjoint, the longest at each place.

        In a text that the server did not write, only direct identifiers with a space or a digit
        count: a user who saw the name "May" may ask about the month.
        """
        with self._lock:
            return tuple(self._found(text, by_server)) if self._types else ()

    def _found(self, text: str, by_server: bool) -> Iterator[Span]:
        at = 0
        while at < len(text):
            value = max(self._values_at(text, at, by_server), key=len, default=None)
            if value is None:
                at += 1
                continue
            yield Span(at, at + len(value), self._types[value])
            at += len(value)

    def _values_at(self, text: str, at: int, by_server: bool) -> Iterator[str]:
        for length in range(1, _PREFIX + 1):
            for value in self._by_prefix.get(text[at : at + length], ()):
                if not text.startswith(value, at):
                    continue
                if len(value) < _PREFIX and not _is_word(text, at, at + len(value)):
                    continue
                if by_server or _names_one(value, self._types[value]):
                    yield value


def _is_word(text: str, start: int, end: int) -> bool:
    return not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum())


def _names_one(value: str, entity_type: EntityType) -> bool:
    """Return whether a value can hardly be an ordinary word of a question."""
    is_direct = identifiability(entity_type) is Identifiability.DIRECT
    return is_direct and any(c.isspace() or c.isdigit() for c in value)


@dataclass(frozen=True)
class ShownRecognizer:
    """Wraps a recognizer for one text: adds the spans of the values that were shown."""

    recognizer: Recognizer
    shown: Sequence[Span]

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the wrapped recognizer."""
        return self.recognizer.fingerprint

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of private values."""
        return [*self.recognizer.recognize(text), *self.shown]


def encrypting(policy: Policy, shown: Sequence[Span]) -> Policy:
    """Return the policy with the types of shown values as tokens: the server had these tokens."""
    types = (span.entity_type for span in shown)
    tokens = dict.fromkeys(types, OperatorChoice(Operator.ENCRYPT))
    return replace(policy, choices={**policy.choices, **tokens})
