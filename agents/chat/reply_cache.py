"""A cache of a model's replies: a repeated run pays only for new questions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sage_rag.agents.chat.protocols import ChatMessage, Reply, TokenUsage
from sage_rag.common.ledger import StageLedger

_SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL
) WITHOUT ROWID;
"""


def reply_key(
    name: str, settings: str, messages: Sequence[ChatMessage], shape: Mapping[str, Any] | None
) -> str:
    """Return a digest of all that decides a reply: model, settings, messages, shape."""
    asked = [name, settings, [[m.role, m.content] for m in messages], shape]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


class ReplyCache(StageLedger):
    """Replies by key. Several threads and processes may use one file at a time.

    Guarantees: only its owner can read the file (mode 0600); prompts are kept as digests.
    Does not guarantee: secrecy of the replies, which are stored unchanged. The file belongs in the
    owner's zone, and replies to prompts with plain values must not be stored in it.
    """

    _title = "the cache of replies"
    _open_hint = _write_hint = "delete it, make room for it, or use none: --set model.cache=false"

    def __init__(self, path: Path) -> None:
        """Open the file, or make it.

        Raises:
            InputError: when it cannot be opened, or is something else.
        """
        super().__init__(path, (), version=0, schema=_SCHEMA)

    def get(self, key: str) -> Reply | None:
        """Return the reply of a key, with its token counts."""
        query = "SELECT text, prompt_tokens, completion_tokens FROM replies WHERE key = ?"
        row = self._one(query, (key,))
        return Reply(row[0], TokenUsage(row[1], row[2])) if row else None

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply; it replaces an earlier one."""
        row = (key, reply.text, reply.usage.prompt_tokens, reply.usage.completion_tokens)
        self._write("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", row)

    def remove(self, key: str) -> None:
        """Remove the reply of a key, if there is one."""
        self._write("DELETE FROM replies WHERE key = ?", (key,))
