"""The policies that indexes said: an edge does not return to a weaker one."""

from __future__ import annotations

import threading

from sage_rag.privacy.policy import Policy, preset
from sage_rag.rag_server.edge.memory_file import MemoryFile

_LEAST_STRICT = "sage"
"""The policy for the questions of a corpus whose index has not said its own, or a weaker one."""
_MOST_CORPORA = 1_000


class IndexPolicies:
    """Keeps the policy that the index of each corpus said last, in bounded memory.

    Guarantees: nothing makes the policy of a corpus weaker than `sage`, nor weaker than its index
    said last, with a file also after a restart. Beyond `most` corpora, what the oldest said holds
    for every corpus not named here.
    """

    def __init__(self, file: MemoryFile | None = None, most: int = _MOST_CORPORA) -> None:
        """`file`: where they are stored; without it, only in memory.

        Raises:
            ProtectionError: when the file is damaged.
        """
        self._file = file
        self._most = most
        self._said: dict[str, Policy] = {}
        self._others = preset(_LEAST_STRICT)
        self._lock = threading.Lock()
        self._stored = dict(file.policies()) if file is not None else {}
        for corpus, said in self._stored.items():
            self._hold(corpus, said)

    def of(self, corpus: str) -> Policy:
        """Return the policy for the questions of a corpus."""
        with self._lock:
            return self._said.get(corpus, self._others)

    def keep(self, corpus: str, said: Policy) -> None:
        """Keep what an index said; where it is weaker than `sage`, `sage` stays.

        Every holder of a grant could make a lookup, so its policy only makes stricter.

        Raises:
            ProtectionError: when it cannot be stored; until the edge ends, it holds all the same.
        """
        self._hold(corpus, said)
        stored = self._stored.get(corpus)
        is_stored = stored is not None and stored.to_json() == said.to_json()
        if self._file is not None and not is_stored:
            self._file.keep_policy(corpus, said)
            self._stored[corpus] = said

    def _hold(self, corpus: str, said: Policy) -> None:
        """Hold what an index said in memory."""
        with self._lock:
            self._said.pop(corpus, None)
            self._said[corpus] = said.no_weaker_than(preset(_LEAST_STRICT))
            if len(self._said) > self._most:
                oldest = self._said.pop(next(iter(self._said)))
                self._others = oldest.no_weaker_than(self._others)
