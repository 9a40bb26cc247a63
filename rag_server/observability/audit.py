"""An audit log: who asked which corpus, when, and what came back. Never a text.

A line is a JSON object:

    {"time": "2026-11-22T15:00:00.123+00:00", "request": "req_5d0c…", "key": "1f0c9a52",
     "name": "edge", "path": "/v1/chat/completions", "status": 200, "ms": 41,
     "version": "clinic@7", "passages": ["p1", "p4"], "tokens": 83}

`request` is the response's `x-request-id`; an edge and its server give ids of their own.
`passages` are the published ids of the passages that were found for a question.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError, SageRagError

_MODE = 0o600
log = logging.getLogger("sage_rag")


class AuditUnavailableError(SageRagError):
    """A service cannot write its audit log, so it answers no request."""

    http = 503, "audit_unavailable"


@dataclass
class RequestNotes:
    """What a route reports about a request, beyond its address and status."""

    version: str | None = None
    passages: list[str] = field(default_factory=list)
    tokens: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return what is known."""
        if self.version is None:
            return {}
        return {"version": self.version, "passages": self.passages, "tokens": self.tokens}


class AuditLog:
    """Append entries to a file that its owner alone can read.

    The file is opened for each write, so that it can be rotated. Entries that cannot be written,
    for example to a full disk, wait for the next attempt.

    Guarantees: after a failed write no request is admitted until everything is written.
    Does not guarantee: that entries which wait survive the process.
    """

    def __init__(self, file: Path) -> None:
        """Check that the file can be written.

        Raises:
            InputError: when it cannot.
        """
        self._file = file
        self._lock = threading.Lock()
        self._unwritten = b""
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            os.close(self._open())
            self._unwritten = _line_end(file)
        except OSError as error:
            raise InputError(f"cannot write the audit log `{file}`: {error.strerror}") from None

    def write(self, entry: dict[str, Any]) -> None:
        """Append an entry, with the time; if that fails, keep it and log the reason."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": now, **entry}, ensure_ascii=False) + "\n"
        with self._lock:
            self._unwritten += line.encode()
            self._flush()

    def check(self) -> None:
        """Return if every entry is written.

        Raises:
            AuditUnavailableError: if not; no request may be answered without its entry.
        """
        if not self._unwritten:
            return
        with self._lock:
            if not self._flush():
                raise AuditUnavailableError("the audit log cannot be written")

    def _flush(self) -> bool:
        try:
            descriptor = self._open()
            try:
                while self._unwritten:
                    written = os.write(descriptor, self._unwritten)
                    self._unwritten = self._unwritten[written:]
            finally:
                os.close(descriptor)
        except OSError as error:
            log.error("the audit log `%s` cannot be written: %s", self._file, error.strerror)
        return not self._unwritten

    def _open(self) -> int:
        return os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, _MODE)


def _line_end(file: Path) -> bytes:
    """Return what ends the last line of a file, if a killed process left it unfinished."""
    if not file.is_file() or not file.stat().st_size:
        return b""
    with file.open("rb") as content:
        content.seek(-1, os.SEEK_END)
        return b"" if content.read() == b"\n" else b"\n"
