"""The owner's ledger: the result of each document, so that a killed run resumes.

It holds drafts with placeholders and tokens, never a plain identifier. Documents are named by
hashes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Literal

import numpy as np

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import locked
from sage_rag.common.ledger import StageLedger, StageTable, to_json
from sage_rag.indexer.protocols import Vector
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.kept import Kept
from sage_rag.privacy.spans import Span

_FORMAT = 3
"""Raised with every change of the tables and of what their fingerprints cover."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
    content_hash TEXT, fingerprint TEXT, result TEXT NOT NULL, transcript TEXT,
    PRIMARY KEY (content_hash, fingerprint));
CREATE TABLE IF NOT EXISTS attributes (fingerprint TEXT PRIMARY KEY, attributes TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS documents (document_hash TEXT PRIMARY KEY, content_hash TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS refusals (
    document_hash TEXT PRIMARY KEY, content_hash TEXT NOT NULL, fingerprint TEXT NOT NULL,
    reasons TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS decisions (
    content_hash TEXT PRIMARY KEY, verb TEXT NOT NULL, protection TEXT NOT NULL, draft TEXT);
"""
_DRAFTS = StageTable("drafts", result="draft")
_PROTECTIONS = StageTable("protections", result="protected")
_VECTORS = StageTable("vectors", content="text_hash", fingerprint="embedder", result="vector")
_BY_CONTENT = {
    **dict.fromkeys(("drafts", "results", "protections"), "TRUE"),
    "decisions": "verb != 'drop'",
}
"""The tables whose rows belong to one content, and which of their rows do."""

Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one document. `fields` is `None` where nothing may be published.

    `tokens` maps placeholders to tokens and `identifiers` lists the tokens of all direct
    identifiers, both under `key_id`. `draft` is the last draft of a refused document. `reviewed`:
    a person decided, and then the gate. `transcript` (JSON) is stored, but `Ledger.result` leaves
    it out: `Ledger.transcript` returns it. `kept` counts what a rewritten record keeps of its
    original, by `gate.kept.KINDS`; `None` where no agent rewrote it, or nothing may be published.
    `quasi`: where the joined `fields` show quasi-identifying values, as the gate found them; `None`
    where nothing may be published, and in results of earlier versions.
    """

    safe: bool
    fields: Fields | None
    tokens: Mapping[str, str]
    identifiers: tuple[str, ...]
    key_id: str
    rounds: int
    longest_run: int
    rouge_l: float
    reasons: tuple[str, ...]
    draft: Fields | None = None
    reviewed: bool = False
    transcript: str | None = None
    order_free: float = 0.0
    kept: Kept | None = None
    quasi: tuple[Span, ...] | None = None


@dataclass(frozen=True, slots=True)
class ProtectedRecord:
    """A document's protected fields, or the reason why it has none.

    `identifiers`: the tokens of all direct identifiers.
    """

    fields: Fields | None
    identifiers: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A document that the last run did not publish, and the key of its result."""

    document_hash: str
    content_hash: str
    fingerprint: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided about a document.

    A draft belongs to one content, and fits only the protection under which its placeholders were
    numbered. A drop fits any protection, and is stored under the document's id, too: it holds when
    the text changes, and when the document leaves the corpus and returns.
    """

    verb: Literal["accept", "edit", "drop"]
    protection: str
    draft: Fields | None = None

    def applies(self, protection: str) -> bool:
        """Return whether a run under this protection can apply it."""
        return self.verb == "drop" or self.protection == protection


class Ledger(StageLedger):
    """The ledger of one corpus; every result is committed before the next document begins."""

    _open_hint = (
        "restore it from a backup, or move it away to start again: finished work is lost, and what"
        " was decided in review"
    )
    _old_hint = (
        "move it away to start again: published versions stay, and what was decided in review is"
        " lost"
    )

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Open or make a ledger; `read_only` writes nothing and requires one that exists."""
        super().__init__(
            path,
            (_DRAFTS, _PROTECTIONS, _VECTORS),
            version=_FORMAT,
            schema=_SCHEMA,
            read_only=read_only,
        )

    def draft(self, content_hash: str, fingerprint: str) -> Fields | None:
        """Return the draft of stage 1, if it was made under these settings."""
        return self.stored(_DRAFTS, content_hash, fingerprint)

    def store_draft(self, content_hash: str, fingerprint: str, draft: Fields) -> None:
        """Commit the draft of stage 1."""
        self.store(_DRAFTS, fingerprint, {content_hash: dict(draft)})

    def protection(self, content_hash: str, fingerprint: str) -> ProtectedRecord | None:
        """Return the protected form of a document, if it was made under these settings."""
        stored = self.stored(_PROTECTIONS, content_hash, fingerprint)
        if stored is None:
            return None
        return ProtectedRecord(stored["fields"], tuple(stored["identifiers"]), stored["reason"])

    def store_protection(
        self, content_hash: str, fingerprint: str, record: ProtectedRecord
    ) -> None:
        """Commit the protected form of a document."""
        self.store(_PROTECTIONS, fingerprint, {content_hash: asdict(record)})

    def result(self, content_hash: str, fingerprint: str) -> Result | None:
        """Return the result of a document under these settings, if it is finished."""
        row = self._one("SELECT result FROM results WHERE content_hash = ? AND fingerprint = ?",
                        (content_hash, fingerprint))  # fmt: skip
        if row is None:
            return None
        stored = json.loads(row[0])
        for name in ("identifiers", "reasons"):
            stored[name] = tuple(stored[name])
        if stored.get("kept") is not None:
            stored["kept"] = {kind: tuple(counts) for kind, counts in stored["kept"].items()}
        if stored.get("quasi") is not None:
            spans = stored["quasi"]
            stored["quasi"] = tuple(Span(s, e, EntityType(t), score) for s, e, t, score in spans)
        return Result(**stored)

    def store_result(self, content_hash: str, fingerprint: str, result: Result) -> None:
        """Commit the result of a document. Without a transcript, the stored transcript stays."""
        stored = {each.name: getattr(result, each.name) for each in fields(result)}
        transcript = stored.pop("transcript")
        if result.quasi is not None:
            stored["quasi"] = [(s.start, s.end, s.entity_type, s.score) for s in result.quasi]
        self._write(
            "INSERT INTO results VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
            "result = excluded.result, transcript = coalesce(excluded.transcript, transcript)",
            (content_hash, fingerprint, to_json(stored), transcript),
        )

    def transcript(self, content_hash: str, fingerprint: str) -> str | None:
        """Return the transcript of stage 2, as JSON."""
        row = self._one("SELECT transcript FROM results WHERE content_hash = ? AND fingerprint = ?",
                        (content_hash, fingerprint))  # fmt: skip
        return None if row is None else row[0]

    def attributes(self, fingerprint: str) -> str | None:
        """Return the corpus's attributes as stored."""
        row = self._one("SELECT attributes FROM attributes WHERE fingerprint = ?", (fingerprint,))
        return None if row is None else str(row[0])

    def store_attributes(self, fingerprint: str, attributes: str) -> None:
        """Commit the corpus's attributes, which are identified once."""
        self._write("INSERT OR REPLACE INTO attributes VALUES (?, ?)", (fingerprint, attributes))

    def vector(self, text_hash: str, embedder: str) -> Vector | None:
        """Return the vector of a text under an `indexer.embedding.vector_key`, if there is one."""
        stored = self.stored(_VECTORS, text_hash, embedder)
        return None if stored is None else np.frombuffer(stored, dtype=np.float32)

    def store_vectors(self, embedder: str, vectors: Mapping[str, Vector]) -> None:
        """Commit a batch of vectors by text hash."""
        rows = {key: vector.astype(np.float32).tobytes() for key, vector in vectors.items()}
        self.store(_VECTORS, embedder, rows)

    def documents(self) -> dict[str, str]:
        """Return the content hash of each document of the last published version."""
        return dict(self._all("SELECT document_hash, content_hash FROM documents"))

    def store_documents(self, documents: Mapping[str, str], text_hashes: Iterable[str]) -> None:
        """Record the published documents, and delete what is no longer in the corpus.

        Drafts, results, protections and accepted drafts of removed contents are deleted under every
        fingerprint. If there are any, the vectors of all other texts than `text_hashes` are
        deleted, too.
        """
        published = self.documents()
        with self._transaction():
            self._write("DELETE FROM documents")
            self._write_all("INSERT INTO documents VALUES (?, ?)", documents.items())
            removed = set(published.values()) - set(documents.values())
            removed |= self._contents() - set(documents.values())
            for table, which in _BY_CONTENT.items():
                rows = [(content_hash,) for content_hash in removed]
                statement = f"DELETE FROM {table} WHERE content_hash = ? AND {which}"  # noqa: S608
                self._write_all(statement, rows)
            if removed:
                known = {h for (h,) in self._all("SELECT DISTINCT text_hash FROM vectors")}
                rows = [(text_hash,) for text_hash in known - set(text_hashes)]
                self._write_all("DELETE FROM vectors WHERE text_hash = ?", rows)

    def refusals(self) -> list[Refusal]:
        """Return the documents that the last run did not publish."""
        rows = self._all("SELECT * FROM refusals ORDER BY rowid")
        return [Refusal(d, c, f, tuple(json.loads(reasons))) for d, c, f, reasons in rows]

    def store_refusals(self, refusals: Sequence[Refusal]) -> None:
        """Replace the last run's refusals."""
        rows = [(r.document_hash, r.content_hash, r.fingerprint, to_json(r.reasons))
                for r in refusals]  # fmt: skip
        with self._transaction():
            self._write("DELETE FROM refusals")
            self._write_all("INSERT INTO refusals VALUES (?, ?, ?, ?)", rows)

    def decision(self, names: Sequence[str]) -> Decision | None:
        """Return what a person decided under the first of these names that has a decision."""
        for name in names:
            row = self._one("SELECT verb, protection, draft FROM decisions WHERE content_hash = ?",
                            (name,))  # fmt: skip
            if row is not None:
                return Decision(row[0], row[1], json.loads(row[2]) if row[2] else None)
        return None

    def has_drops(self) -> bool:
        """Return whether a person dropped a document."""
        return self._one("SELECT 1 FROM decisions WHERE verb = 'drop'", ()) is not None

    def store_decision(self, names: Iterable[str], decision: Decision) -> None:
        """Commit what a person decided; it replaces earlier decisions under these names."""
        draft = to_json(dict(decision.draft)) if decision.draft is not None else None
        rows = [(name, decision.verb, decision.protection, draft) for name in names]
        with self._transaction():
            self._write_all("INSERT OR REPLACE INTO decisions VALUES (?, ?, ?, ?)", rows)

    def forget_decisions(self, names: Iterable[str]) -> None:
        """Delete what a person decided under these names."""
        rows = [(name,) for name in names]
        with self._transaction():
            self._write_all("DELETE FROM decisions WHERE content_hash = ?", rows)

    def _contents(self) -> set[str]:
        selects = " UNION ".join(
            f"SELECT content_hash FROM {table} WHERE {which}"  # noqa: S608
            for table, which in _BY_CONTENT.items()
        )
        return {content_hash for (content_hash,) in self._all(selects)}


@contextmanager
def locked_corpus(folder: Path) -> Iterator[None]:
    """Hold the owner's folder of a corpus for one run; the system frees it when the process dies.

    Raises:
        InputError: when another run holds it, or it cannot be made or written.
    """
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            stack.enter_context(locked(folder / "lock", create=True))
        except BlockingIOError:
            raise InputError(
                f"another run is indexing `{folder.name}`", hint="wait for it, or stop it"
            ) from None
        except OSError as error:
            raise InputError(
                f"cannot write in `{folder}`: {error.strerror}",
                hint="--home names a folder that this user can write, on a disk with space",
            ) from None
        yield
