"""Audit a version: compute again, from the corpus alone, the support of every passage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sage_rag.common.exceptions import InputError
from sage_rag.common.progress import Progress
from sage_rag.indexer.audit import IdentifierAudit
from sage_rag.indexer.consensus.options import MOST_SIMILAR
from sage_rag.indexer.consensus.protection import protected_record
from sage_rag.indexer.corpus import Document
from sage_rag.indexer.passages import CONSENSUS
from sage_rag.indexer.similarity import SimilarityAudit
from sage_rag.indexer.treatment import Treatment
from sage_rag.indexer.versions import IndexVersion, Manifest
from sage_rag.privacy.gate.findings import FindingKind
from sage_rag.privacy.gate.support import SupportCounts, SupportGate
from sage_rag.privacy.protect import join_fields


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """What is wrong with a passage; `detail` contains no text of it."""

    passage_id: str
    kind: str
    detail: str


@dataclass
class AuditCounts:
    """What an audit read. `refused`: documents that cannot be protected support nothing."""

    documents: int = 0
    refused: int = 0
    subjects: int = 0
    passages: int = 0


def audited_k(manifest: Manifest) -> int:
    """Return the k that a version states.

    Raises:
        InputError: for a version without a consensus.
    """
    if CONSENSUS not in manifest.layer_sizes or manifest.k is None:
        raise InputError(
            f"version {manifest.version} of `{manifest.corpus}` has no layer `consensus`: recipe "
            f"`{manifest.recipe}` makes each passage of one document",
            hint="`sage-rag attack` measures what such a version leaks",
        )
    return manifest.k


class ConsensusAudit:
    """The support that a corpus gives, by the same protection and counts as a run."""

    def __init__(
        self, documents: Sequence[Document], treatment: Treatment, progress: Progress
    ) -> None:
        """Protect and count all documents once."""
        self.counts = AuditCounts()
        self._identifiers = IdentifierAudit()
        self._support = SupportCounts(
            self._protected(documents, treatment, progress),
            ((document.subject_hash, document.fields.values()) for document in documents),
        )
        self._similarity = SimilarityAudit((document.text for document in documents), MOST_SIMILAR)
        self.counts.subjects = self._support.subjects

    def findings(self, version: IndexVersion, k: int) -> Iterator[AuditFinding]:
        """Yield what fewer than `k` subjects say, known identifiers, and likeness to an original.

        The topics are not published, so a statement is judged by all subjects of the corpus.
        """
        gate = SupportGate(self._support, k)
        layer = version.layers[CONSENSUS]
        for row in range(len(layer)):
            passage = layer.passage(row)
            self.counts.passages += 1
            for finding in gate.judge(passage.fields):
                yield AuditFinding(passage.id, finding.kind.value, finding.message)
            if count := self._identifiers.count(join_fields(passage.fields)):
                kind = FindingKind.IDENTIFIER.value
                yield AuditFinding(passage.id, kind, f"{count} known identifiers in clear")
            if (similar := self._similarity.similar(join_fields(passage.fields))) is not None:
                detail = f"ROUGE-L F {similar:.2f} with an original"
                yield AuditFinding(passage.id, FindingKind.SIMILARITY.value, detail)

    def _protected(
        self,
        documents: Sequence[Document],
        treatment: Treatment,
        progress: Progress,
    ) -> Iterator[tuple[str, Iterable[str]]]:
        """Yield subject and protected texts of each document."""
        for document in documents:
            self.counts.documents += 1
            record = protected_record(treatment, document)
            progress("protect", self.counts.documents, len(documents))
            if record.fields is None:
                self.counts.refused += 1
                continue
            self._identifiers.add(treatment.sealer.plain(record.identifiers))
            yield document.subject_hash, record.fields.values()
