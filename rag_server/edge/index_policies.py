"""The policies and versions that indexes said: an edge does not return to an earlier one."""

from __future__ import annotations

import threading

from sage_rag.privacy.policy import Policy, preset
from sage_rag.rag_server.edge.memory_file import MemoryFile, Seen
from sage_rag.rag_server.exceptions import RollbackError

_LEAST_STRICT = "sage"
"""The policy for the questions of a corpus whose index has not said its own, or a weaker one."""
_MOST_CORPORA = 1_000
_NONE = Seen()


class IndexPolicies:
    """Keeps the policy that the index of each corpus said last, in bounded memory, and its version.

    Guarantees: nothing makes the policy of a corpus weaker than `sage`, by the operator of each
    type, nor weaker than its owner said last, with a file also after a restart. Beyond `most`
    corpora, what the oldest said holds for every corpus not named here. No lookup of an older
    version is used than one that was used before, nor one under an old key after one under the
    primary key, with a file also after a restart, unless `accept` allows it.
    Does not guarantee: how coarse a value becomes, which the index says; detection of another index
    of the same number.
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
        self._newest: dict[str, Seen] = {}
        self._lock = threading.Lock()
        self._stored = dict(file.policies()) if file is not None else {}
        for corpus, said in self._stored.items():
            self._hold(corpus, said)

    def of(self, corpus: str) -> Policy:
        """Return the policy for the questions of a corpus."""
        with self._lock:
            return self._said.get(corpus, self._others)

    def check(self, corpus: str, offered: Seen) -> None:
        """Return if no newer version of a corpus was seen.

        Raises:
            RollbackError: when one was.
            ProtectionError: when the file cannot be read.
        """
        newest = self._newest_of(corpus)
        if not newest.is_newer_than(offered):
            return
        named = f"version {offered.number}" if offered.number else "a version without a number"
        named += " under an old key" if newest.key == "primary" != offered.key else ""
        raise RollbackError(
            f"the server offers {named}, older than version {newest.number} that was seen here",
            hint="if the owner went back to it, start the edge once with --accept-rollback"
            f" {corpus}@{offered.number}",
        )

    def accept(self, corpus: str, version: int) -> None:
        """Allow a corpus to go back as far as a version, where a newer one was seen.

        Raises:
            ProtectionError: when it cannot be stored.
        """
        if self._file is not None:
            self._file.lower_version(corpus, version)
        with self._lock:
            if (known := self._newest.get(corpus)) is not None:
                self._newest[corpus] = Seen(min(version, known.number))

    def keep(self, corpus: str, said: Policy | None, seen: Seen = _NONE, key_id: str = "") -> None:
        """Keep what the owner's lookup said; where it is weaker than `sage`, `sage` stays.

        `key_id`: of the lookup that said it.

        Raises:
            ProtectionError: when it cannot be stored; until the edge ends, it holds all the same.
        """
        is_newer = seen.is_newer_than(self._newest_of(corpus))
        if is_newer:
            with self._lock:
                self._newest[corpus] = seen
        if said is not None:
            self._keep_policy(corpus, said)
        if is_newer and self._file is not None:
            self._file.keep_version(corpus, seen.number, key_id)

    def make_stricter(self, corpus: str, said: Policy) -> None:
        """Treat each type of a corpus at least as strictly as an unproven lookup says.

        What the owner says next replaces it. The number of such a lookup does not count.

        Raises:
            ProtectionError: as `keep`.
        """
        self._keep_policy(corpus, self.of(corpus).no_weaker_than(said))

    def _newest_of(self, corpus: str) -> Seen:
        # Another edge may have seen a newer one meanwhile.
        stored = self._file.newest(corpus) if self._file is not None else Seen()
        with self._lock:
            known = self._newest.get(corpus, stored)
        return known if known.is_newer_than(stored) else stored

    def _keep_policy(self, corpus: str, said: Policy) -> None:
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
