"""Metrics of the processes of one server, in one text: a request for them reaches any of these."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from sage_rag.common.shared_memory import SharedMemory

_PLACE_BYTES = 512 * 1024
"""The longest text of one process: addresses and statuses are few."""
_LENGTH = struct.Struct("<I")
_PERIOD_S = 1.0


class WorkerMetrics:
    """Holds the last text of each process, at most a second old."""

    def __init__(self, workers: int) -> None:
        """Make it before the processes that share it."""
        self._workers = workers
        self._shared = SharedMemory(workers * _PLACE_BYTES)

    def write(self, number: int, text: bytes) -> None:
        """Store the metrics of a process, from 1; a text that is too long is left out."""
        if len(text) > _PLACE_BYTES - _LENGTH.size:
            return
        start = (number - 1) * _PLACE_BYTES
        with self._shared.locked() as memory:
            _LENGTH.pack_into(memory, start, len(text))
            memory[start + _LENGTH.size : start + _LENGTH.size + len(text)] = text

    def write_always(self, number: int, text: Callable[[], bytes]) -> None:
        """Store the metrics of this process every second, until it ends."""
        pause = threading.Event()

        def write() -> None:
            while not pause.wait(_PERIOD_S):
                self.write(number, text())

        threading.Thread(target=write, name="metrics", daemon=True).start()

    def text(self) -> bytes:
        """Return the metrics of all processes; the label `worker` is the number of each."""
        registry = CollectorRegistry()
        registry.register(_Families(list(self._texts())))
        return generate_latest(registry)

    def _texts(self) -> Iterator[tuple[int, str]]:
        for number in range(1, self._workers + 1):
            start = (number - 1) * _PLACE_BYTES
            with self._shared.locked() as memory:
                (length,) = _LENGTH.unpack_from(memory, start)
                text = memory[start + _LENGTH.size : start + _LENGTH.size + length]
            yield number, text.decode()


class _Families:
    """A collector of the metrics in several texts."""

    def __init__(self, texts: list[tuple[int, str]]) -> None:
        self._texts = texts

    def collect(self) -> Iterator[Metric]:
        families: dict[str, Metric] = {}
        for number, text in self._texts:
            for family in text_string_to_metric_families(text):
                merged = families.setdefault(
                    family.name, Metric(family.name, family.documentation, family.type)
                )
                merged.samples += [
                    sample._replace(labels={**sample.labels, "worker": str(number)})
                    for sample in family.samples
                ]
        yield from families.values()
