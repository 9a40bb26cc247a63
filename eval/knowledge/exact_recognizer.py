"""A recognizer of exactly the values of invented persons: a manual check that misses nothing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from sage_rag.eval.knowledge.persons import ENTITY_TYPES, Person
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span


class ExactRecognizer:
    """Finds every name and value of certain persons, and nothing else.

    Source: Liu et al. (2025), SoE, §3.3: entities of the small source corpus are verified by hand.
    """

    def __init__(self, persons: Sequence[Person]) -> None:
        types = {person.name: EntityType.PERSON for person in persons}
        types |= {v: ENTITY_TYPES[a] for person in persons for a, v in person.values.items()}
        self._types = types
        longest_first = sorted(types, key=lambda value: (-len(value), value))
        pattern = "|".join(re.escape(value) for value in longest_first)
        self._pattern = re.compile(rf"(?<!\w)(?:{pattern})(?!\w)")

    @property
    def fingerprint(self) -> str:
        """A name that changes with the values."""
        return f"exact-{hashlib.sha256(self._pattern.pattern.encode()).hexdigest()[:16]}"

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the span of each value."""
        matches = self._pattern.finditer(text)
        return [Span(m.start(), m.end(), self._types[m.group()], 1.0) for m in matches]
