"""Invented documents and their entities."""

from __future__ import annotations

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.training.synthesis.samples import SourceDocument

VALUES = {
    "Zora Quillfeather": EntityType.PERSON,
    "Ilvar Mossgrove": EntityType.PERSON,
    "Port Dunmarrow": EntityType.LOCATION,
    "Tarnhold Foundry": EntityType.ORGANIZATION,
    "3 May 1971": EntityType.DATE_TIME,
    "4471-9920-1183": EntityType.BANK_ACCOUNT,
}
TEXT = (
    "Zora Quillfeather was born in Port Dunmarrow on 3 May 1971. She works at Tarnhold Foundry. "
    "Her brother is Ilvar Mossgrove. The account 4471-9920-1183 belongs to Zora Quillfeather. "
    "Ilvar Mossgrove left Port Dunmarrow. Did Zora Quillfeather stay with Tarnhold Foundry?"
)
CHINESE = (
    "Zora Quillfeather出生于Port Dunmarrow。她在Tarnhold Foundry工作。账户属于Ilvar Mossgrove，"
    "他和Zora Quillfeather一起离开了Port Dunmarrow。"
)


def recognizer() -> TableRecognizer:
    return TableRecognizer(VALUES)


def documents(count: int = 1) -> list[SourceDocument]:
    """Return documents that differ in their ids and in one sentence."""
    return [SourceDocument(f"doc-{n}", f"{TEXT} It rained {n} times.") for n in range(count)]
