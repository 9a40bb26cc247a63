"""The policies that indexes said: an edge does not return to a weaker one until it ends."""

from __future__ import annotations

import threading

from sage_rag.privacy.policy import Policy, preset

_LEAST_STRICT = "sage"
"""The policy for the questions of a corpus whose index has not said its own, or a weaker one."""
_MOST_CORPORA = 1_000


class IndexPolicies:
    """Keeps the policy that the index of each corpus said last, in bounded memory.

    Guarantees: nothing makes the policy of a corpus weaker than `sage`, nor weaker than its index
    said last. Beyond `most` corpora, what the oldest said holds for every corpus not named here.
    """

    def __init__(self, most: int = _MOST_CORPORA) -> None:
        self._most = most
        self._said: dict[str, Policy] = {}
        self._others = preset(_LEAST_STRICT)
        self._lock = threading.Lock()

    def of(self, corpus: str) -> Policy:
        """Return the policy for the questions of a corpus."""
        with self._lock:
            return self._said.get(corpus, self._others)

    def keep(self, corpus: str, said: Policy) -> None:
        """Keep what an index said; where it is weaker than `sage`, `sage` stays.

        Every holder of a grant could make a lookup, so its policy only makes stricter.
        """
        with self._lock:
            self._said.pop(corpus, None)
            self._said[corpus] = said.no_weaker_than(preset(_LEAST_STRICT))
            if len(self._said) > self._most:
                oldest = self._said.pop(next(iter(self._said)))
                self._others = oldest.no_weaker_than(self._others)
