"""Find direct identifiers of other documents in a draft.

One document shows that a value is a name; in another one the recognizer took it for a word. No
published text contains such a value in clear.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sage_rag.indexer.audit import IdentifierAudit, identifier_words
from sage_rag.indexer.ledger import Fields
from sage_rag.indexer.passages import SealedDocument
from sage_rag.indexer.sealing import Sealer
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.findings import Finding, FindingKind
from sage_rag.privacy.protect import join_fields
from sage_rag.privacy.tokens import TOKEN


class KnownIdentifiers:
    """The direct identifiers of the documents of one run, by type."""

    def __init__(self, sealer: Sealer) -> None:
        """`sealer`: of these documents."""
        self._sealer = sealer
        self._audit = IdentifierAudit()
        self._types: dict[tuple[str, ...], EntityType] = {}
        """By the words of a value. Of a value of several types it is the first."""

    def add(self, identifiers: Iterable[str]) -> None:
        """Add the tokens of a document's direct identifiers."""
        for token in identifiers:
            if found := TOKEN.fullmatch(token):
                (value,) = self._sealer.plain([token])
                self._audit.add([value])
                self._types.setdefault(identifier_words(value), EntityType(found[1]))

    def findings(self, draft: Fields) -> Iterator[Finding]:
        """Yield the values in a draft by type; the places are those of the joined text."""
        for entity_type, start, end in self._places(join_fields(draft)):
            message = f"holds a value in clear that has type {entity_type} in another document"
            yield Finding(FindingKind.IDENTIFIER, message, start, end)

    def sealed(self, document: SealedDocument) -> SealedDocument | None:
        """Return a document with tokens for the values that are in clear in it.

        `None` where one has a type that the policy does not encrypt.
        """
        fields, tokens = dict(document.fields), dict.fromkeys(document.tokens)
        for name, text in document.fields.items():
            parts, done = [], 0
            for entity_type, start, end in _apart(self._places(text)):
                token = self._sealer.token_of(text[start:end], entity_type)
                if token is None:
                    return None
                parts += [text[done:start], token]
                tokens[token], done = None, end
            fields[name] = "".join([*parts, text[done:]])
        if fields == document.fields:
            return document
        words = self._sealer.words_of(tokens)
        return replace(document, fields=fields, tokens=tuple(tokens), words=words)

    def _places(self, text: str) -> Iterator[tuple[EntityType, int, int]]:
        for start, end in self._audit.places(text):
            yield self._types[identifier_words(text[start:end])], start, end


def _apart(
    places: Iterable[tuple[EntityType, int, int]],
) -> Iterator[tuple[EntityType, int, int]]:
    """Yield places in order; of those that overlap one from the first start to the last end."""
    found: tuple[EntityType, int, int] | None = None
    for place in sorted(places, key=lambda place: (place[1], -place[2])):
        if found is not None and place[1] < found[2]:
            found = (found[0], found[1], max(found[2], place[2]))
            continue
        if found is not None:
            yield found
        found = place
    if found is not None:
        yield found
