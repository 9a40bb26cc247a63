"""What changed in a corpus since its last published version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sage_rag.indexer.corpus import Document


@dataclass(frozen=True, slots=True)
class Changes:
    """How many documents differ from the last published version, by their names and contents."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0


def document_hash(document: Document) -> str:
    """Return what the ledger calls a document: its id names people often enough."""
    return hashlib.sha256(document.id.encode()).hexdigest()


def hashes(documents: Iterable[Document]) -> dict[str, str]:
    """Return the content hash of each document, by document hash."""
    return {document_hash(d): d.content_hash for d in documents}


def changes(before: Mapping[str, str], now: Mapping[str, str]) -> Changes:
    """Compare two states of a corpus, each a content hash by document hash."""
    both = before.keys() & now.keys()
    changed = sum(before[name] != now[name] for name in both)
    return Changes(
        added=len(now) - len(both),
        changed=changed,
        removed=len(before) - len(both),
        unchanged=len(both) - changed,
    )
