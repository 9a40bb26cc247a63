"""Fetch the sealed lookup of each corpus from the server, and keep it current."""

from __future__ import annotations

import asyncio
import base64
import binascii
import logging
import time
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from sage_rag.common.exceptions import SageRagError
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.rag_server.edge.keyring import CorpusKeys
from sage_rag.rag_server.edge.upstream import Upstream

_FRESH_S = 60.0
"""A version that is published later than this before a question is read with its own lookup."""
log = logging.getLogger("sage_rag")


class Lookups:
    """Gives keys the lookup of the version that the server searches.

    Without one, because the version has none, the server cannot be reached or sends another one,
    questions are read as the recognizer reads them: nothing more is sent in clear.
    """

    def __init__(self, upstream: Upstream, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._upstream = upstream
        self._clock = clock
        self._known: WeakKeyDictionary[CorpusKeys, tuple[float, str]] = WeakKeyDictionary()
        """When the lookup was last asked for, and its tag."""
        self._turn = asyncio.Lock()

    async def refresh(self, keys: CorpusKeys) -> None:
        """Give the keys the current lookup, unless it was asked for within the last minute."""
        async with self._turn:
            asked, tag = self._known.get(keys, (-_FRESH_S, ""))
            if self._clock() - asked < _FRESH_S:
                return
            status, body = await self._ask(keys.corpus, tag)
            # Kept even after a failure: a server without lookups is not asked before each question.
            self._known[keys] = (self._clock(), tag)
            if status != 200 or not isinstance(body, dict) or body.get("tag") == tag:
                return
            self._known[keys] = (self._clock(), str(body.get("tag", "")))
            await asyncio.to_thread(_use, keys, body.get("lookup"))

    async def _ask(self, corpus: str, tag: str) -> tuple[int, Any]:
        try:
            return await self._upstream.get(f"/v1/models/{corpus}/lookup?known={tag or '-'}")
        except SageRagError:
            return 0, None  # the question itself will report it


def _use(keys: CorpusKeys, encoded: object) -> None:
    """Use a lookup, unless the owner did not make it."""
    try:
        keys.use_lookup(base64.b64decode(encoded) if isinstance(encoded, str) else None)
    except (KeysetError, binascii.Error, ValueError):
        log.warning("edge corpus=%s: the server's lookup is not the owner's", keys.corpus)
