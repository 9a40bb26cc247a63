"""Find direct identifiers of other documents in a draft, for the person who reviews it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from sage_rag.indexer.audit import IdentifierAudit
from sage_rag.indexer.ledger import Fields, Result
from sage_rag.indexer.treatment import Treatment
from sage_rag.privacy.gate.findings import Finding, FindingKind
from sage_rag.privacy.protect import join_fields
from sage_rag.privacy.tokens import TOKEN


class KnownIdentifiers:
    """The direct identifiers of publishable results, which no published text contains in clear.

    One document shows that a value is a name; in another one the recognizer took it for a word.
    """

    def __init__(self, results: Iterable[Result], treatment: Treatment) -> None:
        self._by_type: dict[str, IdentifierAudit] = defaultdict(IdentifierAudit)
        for result in results:
            for token in result.identifiers if result.safe else ():
                if found := TOKEN.fullmatch(token):
                    self._by_type[found[1]].add(treatment.plain_identifiers([token]))

    def findings(self, draft: Fields) -> Iterator[Finding]:
        """Yield the values in a draft by type; the places are those of the joined text."""
        text = join_fields(draft)
        for entity_type, audit in self._by_type.items():
            message = f"holds a value in clear that is a {entity_type} in another document"
            for start, end in audit.places(text):
                yield Finding(FindingKind.IDENTIFIER, message, start, end)
