"""Fakes for the kernel's seams, for our tests and for those who build on the kernel."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span


class TableRecognizer:
    """Recognise exactly the values it is given, wherever they stand."""

    fingerprint = "table"

    def __init__(self, table: Mapping[str, EntityType]) -> None:
        self._table = dict(table)

    def recognize(self, text: str) -> Sequence[Span]:
        """Return every occurrence of every value."""
        return [
            Span(match.start(), match.end(), entity_type)
            for value, entity_type in self._table.items()
            for match in re.finditer(re.escape(value), text)
        ]


class FailingRecognizer:
    """Fail on every text, to see that callers fail closed."""

    fingerprint = "failing"

    def recognize(self, text: str) -> Sequence[Span]:
        """Raise, with the text in the message, as careless libraries do."""
        raise RuntimeError(f"cannot analyse {text!r}")
