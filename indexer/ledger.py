"""The owner's ledger: what each document became, so that a run can be killed and go on.

Content-addressed: a result is found again by the document's hash and the fingerprint of all that
could change it. Holds drafts with placeholders and tokens, never a plain identifier.
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privacy.exceptions import InputError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
    content_hash TEXT, fingerprint TEXT, result TEXT NOT NULL,
    PRIMARY KEY (content_hash, fingerprint));
CREATE TABLE IF NOT EXISTS attributes (fingerprint TEXT PRIMARY KEY, attributes TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS vectors (
    text_hash TEXT, embedder TEXT, vector BLOB NOT NULL, PRIMARY KEY (text_hash, embedder));
"""


@dataclass(frozen=True, slots=True)
class Result:
    """What one document became. `fields` is `None` where nothing may be published.

    `tokens` maps placeholders to tokens and `identifiers` lists the tokens of all direct
    identifiers, both under `key_id`.
    """

    safe: bool
    fields: Mapping[str, str] | None
    tokens: Mapping[str, str]
    identifiers: tuple[str, ...]
    key_id: str
    rounds: int
    longest_run: int
    rouge_l: float
    reasons: tuple[str, ...]


class Ledger:
    """SQLite in WAL mode; every result is committed before the next document begins."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"the ledger `{path}` cannot be used ({error})",
                hint="move it away to start afresh; nothing else is lost but finished work",
            ) from None

    def result(self, content_hash: str, fingerprint: str) -> Result | None:
        """Return what a document became under these settings, if it is finished."""
        row = self._db.execute(
            "SELECT result FROM results WHERE content_hash = ? AND fingerprint = ?",
            (content_hash, fingerprint),
        ).fetchone()
        if row is None:
            return None
        stored = json.loads(row[0])
        for name in ("identifiers", "reasons"):
            stored[name] = tuple(stored[name])
        return Result(**stored)

    def store_result(self, content_hash: str, fingerprint: str, result: Result) -> None:
        """Commit what a document became."""
        self._write(
            "INSERT OR REPLACE INTO results VALUES (?, ?, ?)",
            (content_hash, fingerprint, json.dumps(asdict(result), ensure_ascii=False)),
        )

    def attributes(self, fingerprint: str) -> str | None:
        """Return the corpus's attributes as stored."""
        row = self._db.execute(
            "SELECT attributes FROM attributes WHERE fingerprint = ?", (fingerprint,)
        ).fetchone()
        return None if row is None else str(row[0])

    def store_attributes(self, fingerprint: str, attributes: str) -> None:
        """Commit the corpus's attributes: identified once, then kept."""
        self._write("INSERT OR REPLACE INTO attributes VALUES (?, ?)", (fingerprint, attributes))

    def vector(self, text_hash: str, embedder: str) -> NDArray[np.float32] | None:
        """Return the vector of a text, if it was embedded before."""
        row = self._db.execute(
            "SELECT vector FROM vectors WHERE text_hash = ? AND embedder = ?",
            (text_hash, embedder),
        ).fetchone()
        return None if row is None else np.frombuffer(row[0], dtype=np.float32)

    def store_vectors(self, embedder: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Commit a batch of vectors by text hash."""
        self._write("BEGIN", ())
        for text_hash, vector in vectors.items():
            row = (text_hash, embedder, vector.astype(np.float32).tobytes())
            self._write("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", row)
        self._write("COMMIT", ())

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def _write(self, statement: str, row: tuple[object, ...]) -> None:
        try:
            self._db.execute(statement, row)
        except sqlite3.OperationalError as error:
            raise InputError(
                f"cannot write the ledger: {error}",
                hint="free some disk space and start again; finished documents are kept",
            ) from None


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
