"""An audit log: who asked which corpus, when, and what came back. Never a text.

A line is a JSON object:

    {"time": "2026-11-22T15:00:00.123+00:00", "key": "1f0c9a52", "name": "edge",
     "path": "/v1/chat/completions", "status": 200, "ms": 41, "version": "clinic@7",
     "passages": ["p1", "p4"], "tokens": 83}

`passages` are the published ids of the passages that were found for a question.
"""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError

_MODE = 0o600


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

    The file is opened for each entry, so that it can be rotated. An entry is one write.
    """

    def __init__(self, file: Path) -> None:
        """Check that the file can be written.

        Raises:
            InputError: when it cannot.
        """
        self._file = file
        self._lock = threading.Lock()
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            os.close(self._open())
        except OSError as error:
            raise InputError(f"cannot write the audit log `{file}`: {error.strerror}") from None

    def write(self, entry: dict[str, Any]) -> None:
        """Append an entry, with the time."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": now, **entry}, ensure_ascii=False) + "\n"
        with self._lock:
            descriptor = self._open()
            try:
                os.write(descriptor, line.encode())
            finally:
                os.close(descriptor)

    def _open(self) -> int:
        return os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, _MODE)
