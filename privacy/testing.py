"""Fake recognizers and forged lookups, for our tests and for users of the kernel."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sage_rag.privacy import lookup_seal
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Grant, Keyset, export_type_keys
from sage_rag.privacy.lookup import Lookup
from sage_rag.privacy.lookup_seal import SealedLookup
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


def forged_lookup(
    lookup: Lookup, keyset: Keyset, corpus: str, *, signature: bytes | None = None
) -> bytes:
    """Return a lookup as the holder of any grant can seal it, with any `signature`.

    Without one it is in the format of an earlier sage-rag, which did not sign.
    """
    lookup_format = lookup_seal._UNSIGNED_FORMAT if signature is None else lookup_seal._FORMAT
    cipher = lookup_seal._cipher(keyset, keyset.primary)
    ciphertext = cipher.encrypt(lookup._packed(), lookup_seal._bound(lookup_format, corpus))
    return bytes(SealedLookup(keyset.primary, signature, ciphertext))


def grant_without_public_keys(grant: Grant) -> Grant:
    """Return a grant as an earlier sage-rag made it."""
    return Grant(export_type_keys(grant), grant.primary)
