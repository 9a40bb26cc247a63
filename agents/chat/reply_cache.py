"""Answers that were paid for once: a run begun anew asks only what is new."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sage_rag.agents.chat.protocols import ChatMessage, Reply, TokenUsage
from sage_rag.common.exceptions import InputError

_BUSY_S = 30.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL
) WITHOUT ROWID
"""


def reply_key(
    name: str, settings: str, messages: Sequence[ChatMessage], shape: Mapping[str, Any] | None
) -> str:
    """Return a digest of all that decides an answer: model, settings, messages, shape."""
    asked = [name, settings, [[m.role, m.content] for m in messages], shape]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


class ReplyCache:
    """Replies by key, in SQLite. Several threads and processes may use one file at a time.

    Guarantees: the file is readable by its owner only (mode 0600); prompts are kept as digests.
    Does not guarantee: secrecy of the answers, which stand as they came. They belong in the
    owner's zone, and answers to prompts with plain values do not belong here at all.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or make it.

        Raises:
            InputError: when it cannot be opened, or is something else.
        """
        self._path = path
        self._lock = threading.Lock()
        with self._translated():
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # SQLite gives its side files the mode of the file, so this comes first.
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
            path.chmod(0o600)
            self._open()

    def get(self, key: str) -> Reply | None:
        """Return the reply kept under a key, with what it cost then."""
        query = "SELECT text, prompt_tokens, completion_tokens FROM replies WHERE key = ?"
        with self._lock, self._translated():
            row = self._connection.execute(query, (key,)).fetchone()
        return Reply(row[0], TokenUsage(row[1], row[2])) if row else None

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply; what was there under its key gives way."""
        row = (key, reply.text, reply.usage.prompt_tokens, reply.usage.completion_tokens)
        with self._lock, self._translated():
            self._connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", row)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _open(self) -> None:
        self._connection = sqlite3.connect(
            self._path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
        )
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute(_SCHEMA)
            self._connection.execute("SELECT text, prompt_tokens FROM replies LIMIT 1")
        except sqlite3.Error:
            self._connection.close()
            raise

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise InputError(
                f"the cache of replies `{self._path}` cannot be used ({type(error).__name__})",
                hint="delete it, make room for it, or use none: --set model.cache=false",
            ) from None
