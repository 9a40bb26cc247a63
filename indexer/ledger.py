"""The owner's ledger: what each document became, so that a run can be killed and go on.

Content-addressed: what a stage made is found again by the document's hash and the fingerprint of
all that could change it. Holds drafts with placeholders and tokens, never a plain identifier;
documents are named by hashes.
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sage_rag.common.exceptions import InputError

_FORMAT = 2
"""Counts up with the tables and with what their fingerprints cover."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS drafts (
    content_hash TEXT, fingerprint TEXT, draft TEXT NOT NULL,
    PRIMARY KEY (content_hash, fingerprint));
CREATE TABLE IF NOT EXISTS results (
    content_hash TEXT, fingerprint TEXT, result TEXT NOT NULL, transcript TEXT,
    PRIMARY KEY (content_hash, fingerprint));
CREATE TABLE IF NOT EXISTS attributes (fingerprint TEXT PRIMARY KEY, attributes TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS vectors (
    text_hash TEXT, embedder TEXT, vector BLOB NOT NULL, PRIMARY KEY (text_hash, embedder));
CREATE TABLE IF NOT EXISTS documents (document_hash TEXT PRIMARY KEY, content_hash TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS refusals (
    document_hash TEXT PRIMARY KEY, content_hash TEXT NOT NULL, fingerprint TEXT NOT NULL,
    reasons TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS decisions (
    content_hash TEXT PRIMARY KEY, verb TEXT NOT NULL, protection TEXT NOT NULL, draft TEXT);
"""
_BY_CONTENT = ("drafts", "results", "decisions")

Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Result:
    """What one document became. `fields` is `None` where nothing may be published.

    `tokens` maps placeholders to tokens and `identifiers` lists the tokens of all direct
    identifiers, both under `key_id`. `draft` is what a refused document had come to. `reviewed`:
    a person had the last word before the gate. `transcript` (JSON) is stored, but not read back
    with the rest: `Ledger.transcript` returns it.
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


@dataclass(frozen=True, slots=True)
class Refusal:
    """A document that the last run did not publish, and where its result is found."""

    document_hash: str
    content_hash: str
    fingerprint: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided about a document's content.

    `draft` belongs to the protection under which its placeholders were numbered; a drop is good
    for any.
    """

    verb: Literal["accept", "edit", "drop"]
    protection: str
    draft: Fields | None = None

    def applies(self, protection: str) -> bool:
        """Return whether a run under this protection can follow it."""
        return self.verb == "drop" or self.protection == protection


class Ledger:
    """SQLite in WAL mode; every result is committed before the next document begins.

    What is deleted is overwritten in the file (`secure_delete`). One ledger serves the threads of
    one process, one statement or transaction at a time.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Open or make a ledger; `read_only` leaves no trace, and needs one that exists."""
        self._path = path
        self._lock = threading.RLock()
        try:
            self._db = _open_to_read(path) if read_only else _open(path)
            self._check_format()
            if not read_only:
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=NORMAL")
                self._db.execute("PRAGMA secure_delete=ON")
                self._db.executescript(f"{_SCHEMA}PRAGMA user_version={_FORMAT};")
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"the ledger `{path}` cannot be used ({error})",
                hint="move it away to start afresh; nothing else is lost but finished work",
            ) from None

    def _check_format(self) -> None:
        found = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if found == _FORMAT or not tables:
            return
        self._db.close()
        raise InputError(
            f"the ledger `{self._path}` was written by "
            f"{'a later' if found > _FORMAT else 'an earlier'} sage-rag",
            hint="move it away to start afresh; published versions stay",
        )

    def draft(self, content_hash: str, fingerprint: str) -> Fields | None:
        """Return the draft of stage 1, if it was made under these settings."""
        row = self._one("SELECT draft FROM drafts WHERE content_hash = ? AND fingerprint = ?",
                        (content_hash, fingerprint))  # fmt: skip
        return None if row is None else json.loads(row[0])

    def store_draft(self, content_hash: str, fingerprint: str, draft: Fields) -> None:
        """Commit the draft of stage 1."""
        row = (content_hash, fingerprint, _json(dict(draft)))
        self._write("INSERT OR REPLACE INTO drafts VALUES (?, ?, ?)", row)

    def result(self, content_hash: str, fingerprint: str) -> Result | None:
        """Return what a document became under these settings, if it is finished."""
        row = self._one("SELECT result FROM results WHERE content_hash = ? AND fingerprint = ?",
                        (content_hash, fingerprint))  # fmt: skip
        if row is None:
            return None
        stored = json.loads(row[0])
        for name in ("identifiers", "reasons"):
            stored[name] = tuple(stored[name])
        return Result(**stored)

    def store_result(self, content_hash: str, fingerprint: str, result: Result) -> None:
        """Commit what a document became. A result without a transcript leaves the one there is."""
        stored = {each.name: getattr(result, each.name) for each in fields(result)}
        transcript = stored.pop("transcript")
        self._write(
            "INSERT INTO results VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
            "result = excluded.result, transcript = coalesce(excluded.transcript, transcript)",
            (content_hash, fingerprint, _json(stored), transcript),
        )

    def transcript(self, content_hash: str, fingerprint: str) -> str | None:
        """Return what was said about a document in stage 2, as JSON."""
        row = self._one("SELECT transcript FROM results WHERE content_hash = ? AND fingerprint = ?",
                        (content_hash, fingerprint))  # fmt: skip
        return None if row is None else row[0]

    def attributes(self, fingerprint: str) -> str | None:
        """Return the corpus's attributes as stored."""
        row = self._one("SELECT attributes FROM attributes WHERE fingerprint = ?", (fingerprint,))
        return None if row is None else str(row[0])

    def store_attributes(self, fingerprint: str, attributes: str) -> None:
        """Commit the corpus's attributes: identified once, then kept."""
        self._write("INSERT OR REPLACE INTO attributes VALUES (?, ?)", (fingerprint, attributes))

    def vector(self, text_hash: str, embedder: str) -> NDArray[np.float32] | None:
        """Return the vector of a text under an `indexer.embedding.vector_key`, if there is one."""
        row = self._one("SELECT vector FROM vectors WHERE text_hash = ? AND embedder = ?",
                        (text_hash, embedder))  # fmt: skip
        return None if row is None else np.frombuffer(row[0], dtype=np.float32)

    def store_vectors(self, embedder: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Commit a batch of vectors by text hash."""
        rows = [(h, embedder, v.astype(np.float32).tobytes()) for h, v in vectors.items()]
        with self._transaction():
            self._write_all("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def documents(self) -> dict[str, str]:
        """Return the content hash of each document of the last published version."""
        return dict(self._all("SELECT document_hash, content_hash FROM documents"))

    def store_documents(self, documents: Mapping[str, str], text_hashes: Iterable[str]) -> None:
        """Record what was published, and forget what is in the corpus no longer.

        Drafts, results and decisions of contents that are gone are deleted, whatever settings made
        them; when there are any, so are the vectors of all but the published texts.
        """
        published = self.documents()
        with self._transaction():
            self._write("DELETE FROM documents", ())
            self._write_all("INSERT INTO documents VALUES (?, ?)", documents.items())
            gone = set(published.values()) - set(documents.values())
            gone |= self._contents() - set(documents.values())
            for table in _BY_CONTENT:
                rows = [(content_hash,) for content_hash in gone]
                self._write_all(f"DELETE FROM {table} WHERE content_hash = ?", rows)  # noqa: S608
            if gone:
                known = {h for (h,) in self._all("SELECT DISTINCT text_hash FROM vectors")}
                rows = [(text_hash,) for text_hash in known - set(text_hashes)]
                self._write_all("DELETE FROM vectors WHERE text_hash = ?", rows)

    def refusals(self) -> list[Refusal]:
        """Return what the last run did not publish."""
        rows = self._all("SELECT * FROM refusals ORDER BY rowid")
        return [Refusal(d, c, f, tuple(json.loads(reasons))) for d, c, f, reasons in rows]

    def store_refusals(self, refusals: Sequence[Refusal]) -> None:
        """Replace the last run's refusals."""
        rows = [(r.document_hash, r.content_hash, r.fingerprint, _json(r.reasons))
                for r in refusals]  # fmt: skip
        with self._transaction():
            self._write("DELETE FROM refusals", ())
            self._write_all("INSERT INTO refusals VALUES (?, ?, ?, ?)", rows)

    def decision(self, content_hash: str) -> Decision | None:
        """Return what a person decided about a content."""
        row = self._one("SELECT verb, protection, draft FROM decisions WHERE content_hash = ?",
                        (content_hash,))  # fmt: skip
        if row is None:
            return None
        return Decision(row[0], row[1], json.loads(row[2]) if row[2] else None)

    def store_decision(self, content_hash: str, decision: Decision) -> None:
        """Commit what a person decided; a later decision takes the place of an earlier one."""
        draft = _json(dict(decision.draft)) if decision.draft is not None else None
        row = (content_hash, decision.verb, decision.protection, draft)
        self._write("INSERT OR REPLACE INTO decisions VALUES (?, ?, ?, ?)", row)

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._db.close()

    def _contents(self) -> set[str]:
        selects = " UNION ".join(f"SELECT content_hash FROM {t}" for t in _BY_CONTENT)  # noqa: S608
        return {content_hash for (content_hash,) in self._all(selects)}

    def _one(self, query: str, row: tuple[str, ...]) -> tuple[Any, ...] | None:
        with self._lock:
            found: tuple[Any, ...] | None = self._db.execute(query, row).fetchone()
        return found

    def _all(self, query: str) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(query).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock:
            self._write("BEGIN", ())
            try:
                yield
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            self._write("COMMIT", ())

    def _write(self, statement: str, row: tuple[object, ...]) -> None:
        try:
            with self._lock:
                self._db.execute(statement, row)
        except sqlite3.OperationalError as error:
            raise InputError(
                f"cannot write the ledger: {error}",
                hint="free some disk space and start again; finished documents are kept",
            ) from None

    def _write_all(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        for row in rows:
            self._write(statement, row)


def _open(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False)


def _open_to_read(path: Path) -> sqlite3.Connection:
    """Open without writing a byte: SQLite would put files beside a ledger that has none."""
    beside = path.with_name(path.name + "-wal").exists()
    mode = "mode=ro" if beside else "mode=ro&immutable=1"
    address = f"{path.absolute().as_uri()}?{mode}"
    return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a corpus for one run; released by the system if the process dies.

    Raises:
        InputError: when another run holds it.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"another run is indexing `{folder.name}`", hint="wait for it, or stop it"
            ) from None
        yield
