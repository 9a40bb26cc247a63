"""Protect the records of a consensus; no agent reads them, and each is stored for the next run."""

from __future__ import annotations

import hashlib

from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.indexer.corpus import Document
from sage_rag.indexer.ledger import ProtectedRecord
from sage_rag.indexer.treatment import UNPROTECTABLE, Treatment


def protection_fingerprint(treatment: Treatment, key_id: str) -> str:
    """Return a name that changes with anything that decides a protected record."""
    parts = (treatment.protection, treatment.coverage.fingerprint, key_id)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def protected_record(treatment: Treatment, document: Document) -> ProtectedRecord:
    """Protect one document; the reason of a refusal is a result, not an error."""
    if reason := treatment.coverage.refusal(document):
        return ProtectedRecord(None, reason=reason)
    try:
        protection = treatment.protect(document)
    except (ProtectionError, InputError, AgentOutputError):
        return ProtectedRecord(None, reason=UNPROTECTABLE)
    identifiers = treatment.direct_identifiers(protection)
    return ProtectedRecord(dict(protection.protected.fields), identifiers)
