"""Fetch the sealed lookup of each corpus from the server, and keep it current."""

from __future__ import annotations

import asyncio
import base64
import binascii
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from sage_rag.common.exceptions import ProtectionError, SageRagError
from sage_rag.privacy.exceptions import KeysetError, UnsignedError
from sage_rag.rag_server.edge.keyring import CorpusKeys
from sage_rag.rag_server.edge.upstream import AnswerTooLongError, Upstream
from sage_rag.rag_server.exceptions import RollbackError, UnknownModelError

_FRESH_S = 60.0
"""A version that is published later than this before a question is read with its own lookup."""
_RETRY_S = 2.0
"""When a server that could not answer is asked again. Until then questions are read without the
index: a first name alone finds no one."""
_PATIENCE_S = 5.0
"""How long a question waits for a lookup: a server that hangs must not hold every question."""
_TOO_MANY = 429
_TOO_LONG = -1
"""No status of HTTP: that of an answer which the edge does not read to its end."""
_TOO_LONG_NOTE = (
    "edge corpus=%s: the lookup has more than 24 MB and is not read;"
    " hint: publish the corpus as several smaller ones"
)
log = logging.getLogger("sage_rag")


@dataclass
class _Request:
    """A request for a lookup. `is_slow`: a question has waited for it in vain."""

    task: asyncio.Task[None]
    is_slow: bool = False


class Lookups:
    """Gives keys the lookup of the version that the server searches.

    Where the version has none, or the server cannot be reached, is slow or sends another one, the
    lookup before is used on. Before the first one, questions are read as the recognizer reads them.
    """

    def __init__(
        self,
        upstream: Upstream,
        *,
        clock: Callable[[], float] = time.monotonic,
        patience_s: float = _PATIENCE_S,
    ) -> None:
        """`patience_s`: how long a question waits for a lookup; the request for it goes on."""
        self._upstream = upstream
        self._clock = clock
        self._patience_s = patience_s
        self._known: WeakKeyDictionary[CorpusKeys, tuple[float, str]] = WeakKeyDictionary()
        """When the lookup was last asked for, and its tag."""
        self._too_long: WeakSet[CorpusKeys] = WeakSet()
        """Those whose lookup was too long: the log says it once."""
        self._requests: WeakKeyDictionary[CorpusKeys, _Request] = WeakKeyDictionary()

    async def refresh(self, keys: CorpusKeys) -> None:
        """Give the keys the current lookup, unless it was asked for within the last minute.

        Questions of one corpus share a request. Once it was too slow for one of them, the others
        do not wait for it: they are read with the lookup before, if there is one.
        """
        request = self._requests.get(keys)
        if request is None or request.task.done():
            asked, tag = self._known.get(keys, (-_FRESH_S, ""))
            if self._clock() - asked < _FRESH_S:
                return
            request = _Request(asyncio.create_task(self._update(keys, tag)))
            self._requests[keys] = request
        if not request.is_slow:
            await asyncio.wait({request.task}, timeout=self._patience_s)
        request.is_slow = not request.task.done()

    async def _update(self, keys: CorpusKeys, tag: str) -> None:
        status, body = await self._ask(keys.corpus, tag)
        if status == _TOO_LONG and keys not in self._too_long:
            self._too_long.add(keys)
            log.warning(_TOO_LONG_NOTE, keys.corpus)
        # A server without lookups, or with one that is too long, is asked once a minute, too; one
        # that is away, still starts, or refuses more requests for now, every few seconds: each
        # question would wait for it.
        away = status in (0, _TOO_MANY) or status >= 500
        age = _FRESH_S - _RETRY_S if away else 0.0
        # A corpus that is not there yet is asked for with each question: it may appear before.
        self._known[keys] = (self._clock() - (_FRESH_S if _is_absent(body) else age), tag)
        if status != 200 or not isinstance(body, dict) or body.get("tag") == tag:
            return
        is_kept = await asyncio.to_thread(_use, keys, body.get("lookup"))
        self._known[keys] = (self._clock(), str(body.get("tag", "")) if is_kept else "")

    async def _ask(self, corpus: str, tag: str) -> tuple[int, Any]:
        try:
            return await self._upstream.get(f"/v1/models/{corpus}/lookup?known={tag or '-'}")
        except AnswerTooLongError:
            return _TOO_LONG, None
        except SageRagError:
            return 0, None  # the question itself will report it


def _is_absent(body: object) -> bool:
    """Return whether a server's answer says that it has no such corpus."""
    error = body.get("error") if isinstance(body, dict) else None
    return isinstance(error, dict) and error.get("code") == UnknownModelError.http[1]


def _use(keys: CorpusKeys, encoded: object) -> bool:
    """Use a lookup, unless it is older or not the owner's; return whether what it says is kept."""
    try:
        keys.use_lookup(base64.b64decode(encoded) if isinstance(encoded, str) else None)
    except ProtectionError as error:
        log.warning(
            "edge corpus=%s: a restart forgets its policy and version: %s",
            keys.corpus,
            error.message,
        )
        return False
    except (RollbackError, KeysetError) as error:
        only = "it is used only to hide more"
        use = only if isinstance(error, UnsignedError) else "it is not used"
        hint = f"; hint: {error.hint}" if error.hint else ""
        log.warning("edge corpus=%s: %s; %s%s", keys.corpus, error.message, use, hint)
    except (binascii.Error, ValueError):
        log.warning("edge corpus=%s: the server's lookup is not one; it is not used", keys.corpus)
    return True
