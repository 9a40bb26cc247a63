"""Read the passages of an open version in the background, so that questions find them read."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from sage_rag.indexer.passages import CONSENSUS, Layer, Passage
from sage_rag.indexer.versions import Manifest

_SAMPLE = 50
"""Passages whose mean length stands for that of a version."""
_PAUSE = 9.0
"""The pause after a passage, in times of its processor time: a tenth of a core at most."""
log = logging.getLogger("sage_rag")

Read = Callable[[Passage, Sequence[str]], object]
"""Reads a passage, by the fields that answer questions, and keeps what it finds."""


class ReadableLayer(Protocol):
    """A layer of a version."""

    def __len__(self) -> int:
        """Return the number of passages."""
        ...

    def passage(self, row: int) -> Passage:
        """Return the passage of a row."""
        ...


class ReadableVersion(Protocol):
    """An open version."""

    @property
    def manifest(self) -> Manifest:
        """The version's manifest."""
        ...

    @property
    def layers(self) -> Mapping[Layer, ReadableLayer]:
        """The layers of the version."""
        ...


class ReadAhead:
    """Reads the records of versions, each version in a thread of its own.

    A version is left out that has more text than the space that the versions before it left, since
    its passages would drop each other. Consensus passages are left out: they are not read by
    sentences.
    """

    def __init__(self, read: Read, most_characters: int) -> None:
        """`most_characters`: of the current versions of all corpora together."""
        self._read = read
        self._most = most_characters
        self._taken: dict[str, tuple[int, threading.Event]] = {}
        """By corpus: the characters of its version, and whether it is retired."""
        self._lock = threading.Lock()

    def begin(
        self, version: ReadableVersion, stop: threading.Event, release: Callable[[], None]
    ) -> None:
        """Read a version until `stop` is set; then, or at the end, call `release` once."""
        thread = threading.Thread(
            target=self._run, args=(version, stop, release), name="read ahead", daemon=True
        )
        thread.start()

    def _run(
        self, version: ReadableVersion, stop: threading.Event, release: Callable[[], None]
    ) -> None:
        try:
            layers = [layer for name, layer in version.layers.items() if name != CONSENSUS]
            size = sum(map(_characters, layers))
            if self._admits(version.manifest.corpus, size, stop):
                self._read_all(layers, version.manifest.answer_fields, stop)
        except Exception as error:  # noqa: BLE001 - questions read on their own, and report it
            log.warning("reading ahead failed: %s", type(error).__name__)
        finally:
            release()

    def _admits(self, corpus: str, size: int, stop: threading.Event) -> bool:
        with self._lock:
            self._taken.pop(corpus, None)
            taken = sum(chars for chars, retired in self._taken.values() if not retired.is_set())
            if taken + size > self._most:
                return False
            self._taken[corpus] = size, stop
            return True

    def _read_all(
        self, layers: Collection[ReadableLayer], answer_fields: Sequence[str], stop: threading.Event
    ) -> None:
        for layer in layers:
            for row in range(len(layer)):
                started = time.thread_time()
                self._read(layer.passage(row), answer_fields)
                if stop.wait(_PAUSE * (time.thread_time() - started)):
                    return


def _characters(layer: ReadableLayer) -> int:
    """Return about how much text a layer has, by the passages at equal distances."""
    count = len(layer)
    rows = range(0, count, max(count // _SAMPLE, 1))
    lengths = [sum(map(len, layer.passage(row).fields.values())) for row in rows]
    return count * sum(lengths) // max(len(lengths), 1)
