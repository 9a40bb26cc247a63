"""Fake recognizers, for our tests and for users of the kernel."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span


class TableRecognizer:
    """Recognise every occurrence of the given values."""

    fingerprint = "table"

    def __init__(self, table: Mapping[str, EntityType]) -> None:
        self._table = dict(table)

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of all occurrences."""
        return [
            Span(match.start(), match.end(), entity_type)
            for value, entity_type in self._table.items()
            for match in re.finditer(re.escape(value), text)
        ]


class FailingRecognizer:
    """Fail on every text: for testing that callers fail closed."""

    fingerprint = "failing"

    def recognize(self, text: str) -> Sequence[Span]:
        """Raise an error whose message contains the text, as some libraries do."""
        raise RuntimeError(f"cannot analyse {text!r}")
