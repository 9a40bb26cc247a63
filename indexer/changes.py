"""Compare a corpus with its last published version."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from sage_rag.indexer.corpus import Document


@dataclass(frozen=True, slots=True)
class Changes:
    """Counts of documents that differ from the last published version, by id and content."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0


@dataclass(frozen=True, slots=True)
class DocumentKey:
    """A document's id, the hash of its content, and the id of the text that it is a piece of: all
    that a run keeps of every document."""

    id: str
    content_hash: str
    piece_of: str = ""

    @property
    def document_hash(self) -> str:
        """The document's name in the ledger, since ids often contain people's names."""
        return document_hash(self.id)

    @property
    def names(self) -> tuple[str, ...]:
        """What a decision about it can be stored under: its id, that of the whole, its content."""
        whole = (document_hash(self.piece_of),) if self.piece_of else ()
        return (self.document_hash, *whole, self.content_hash)


def document_hash(document_id: str) -> str:
    """Return the name of a document in the ledger."""
    return hashlib.sha256(document_id.encode()).hexdigest()


def key_of(document: Document) -> DocumentKey:
    """Return the document's key."""
    return DocumentKey(document.id, document.content_hash, document.piece_of)


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
