"""Content-addressed results of a run's stages in SQLite, so that a killed run resumes.

A result is found again by the hash of its content and the fingerprint of all that decides it.
"""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError

_BUSY_S = 30.0
"""How long a statement waits for another process."""
_PRIMARY_CODE = 0xFF
"""Mask of the primary result code in an extended one. Source: https://sqlite.org/rescode.html."""
_NO_SPACE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
_NO_SPACE_ERRNO = ((errno.ENOSPC,), (errno.EDQUOT,), (errno.EFBIG,))
_NO_ACCESS = (
    *(sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM),
    sqlite3.SQLITE_AUTH,
)
_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@dataclass(frozen=True, slots=True)
class StageTable:
    """A table with the results of one stage, and the names of its three columns.

    A result is bytes, or any value that JSON can hold.
    """

    name: str
    content: str = "content_hash"
    fingerprint: str = "fingerprint"
    result: str = "result"

    @property
    def schema(self) -> str:
        """The statement that makes the table."""
        return (
            f"CREATE TABLE IF NOT EXISTS {self.name} ({self.content} TEXT, "
            f"{self.fingerprint} TEXT, {self.result} BLOB NOT NULL, "
            f"PRIMARY KEY ({self.content}, {self.fingerprint}));"
        )


class StageLedger:
    """SQLite in WAL mode, mode 0600; every write is committed before the call returns.

    Deleted content is overwritten in the file (`secure_delete`). One ledger serves the threads of
    one process, one statement or transaction at a time.
    """

    _title = "the ledger"
    _open_hint = "move it away to start again; only finished work is lost"
    _old_hint = "move it away to start again; published versions stay"
    _access_hint = "let this user write the file and its folder, or use another --home"
    _write_hint = "free some disk space and start again; finished documents are kept"

    def __init__(
        self,
        path: Path,
        tables: Sequence[StageTable],
        *,
        version: int,
        schema: str = "",
        read_only: bool = False,
    ) -> None:
        """Open or make a ledger; `read_only` writes nothing and requires one that exists.

        `version` is raised with every change of the tables; `schema` makes further tables.
        """
        self._path = path
        self._lock = threading.RLock()
        try:
            self._db = _open_to_read(path) if read_only else _open(path)
            self._check_version(version)
            if not read_only:
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=NORMAL")
                self._db.execute("PRAGMA secure_delete=ON")
                statements = "".join(table.schema for table in tables)
                self._db.executescript(f"{statements}{schema}PRAGMA user_version={version};")
        except (sqlite3.Error, OSError) as error:
            raise self._failure(error) from None

    def _failure(self, error: sqlite3.Error | OSError) -> InputError:
        """Return the error with the remedy for its cause: only a damaged file is moved away."""
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
        if error.args[:1] in _NO_SPACE_ERRNO or code in _NO_SPACE:
            hint = self._write_hint
        elif isinstance(error, OSError) or code in _NO_ACCESS:
            hint = self._access_hint
        elif code in _IN_USE:
            hint = "another program uses it: wait for it, or stop it"
        else:
            hint = self._open_hint
        reason = (isinstance(error, OSError) and error.strerror) or error
        return InputError(f"{self._title} `{self._path}` cannot be used ({reason})", hint=hint)

    def _check_version(self, version: int) -> None:
        found = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if found == version or not tables:
            return
        self._db.close()
        raise InputError(
            f"{self._title} `{self._path}` was written by "
            f"{'a later' if found > version else 'an earlier'} sage-rag",
            hint=self._old_hint,
        )

    def stored(self, table: StageTable, content_hash: str, fingerprint: str) -> Any | None:
        """Return the result of a stage for a content, if there is one."""
        row = self._one(
            f"SELECT {table.result} FROM {table.name} "  # noqa: S608 - names of our own
            f"WHERE {table.content} = ? AND {table.fingerprint} = ?",
            (content_hash, fingerprint),
        )
        if row is None:
            return None
        return row[0] if isinstance(row[0], bytes) else json.loads(row[0])

    def store(self, table: StageTable, fingerprint: str, results: Mapping[str, Any]) -> None:
        """Commit results by content hash in one transaction; they replace earlier ones."""
        rows = [
            (content, fingerprint, result if isinstance(result, bytes) else to_json(result))
            for content, result in results.items()
        ]
        statement = f"REPLACE INTO {table.name} VALUES (?, ?, ?)"  # noqa: S608 - names of our own
        with self._transaction():
            self._write_all(statement, rows)

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._db.close()

    def _one(self, query: str, row: tuple[str, ...]) -> tuple[Any, ...] | None:
        try:
            with self._lock:
                found: tuple[Any, ...] | None = self._db.execute(query, row).fetchone()
        except sqlite3.Error as error:
            raise self._failure(error) from None
        return found

    def _all(self, query: str, row: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._db.execute(query, row).fetchall()
        except sqlite3.Error as error:
            raise self._failure(error) from None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock:
            self._write("BEGIN")
            try:
                yield
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            self._write("COMMIT")

    def _write(self, statement: str, row: tuple[object, ...] = ()) -> None:
        try:
            with self._lock:
                self._db.execute(statement, row)
        except sqlite3.Error as error:
            raise self._failure(error) from None

    def _write_all(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        for row in rows:
            self._write(statement, row)


def to_json(value: object) -> str:
    """Return a value as it is stored."""
    return json.dumps(value, ensure_ascii=False)


def _open(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # SQLite gives its side files the mode of the file, so the file is made first.
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    path.chmod(0o600)
    return sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)


def _open_to_read(path: Path) -> sqlite3.Connection:
    """Open without writing a byte: SQLite would make side files for a ledger without them."""
    has_side_files = path.with_name(path.name + "-wal").exists()
    mode = "mode=ro" if has_side_files else "mode=ro&immutable=1"
    address = f"{path.absolute().as_uri()}?{mode}"
    return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
