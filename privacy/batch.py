"""Protect many records: streamed, in order, in bounded memory, on several processes if asked."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field

from sage_rag.common.exceptions import SageRagError
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.keyset.raw import export_raw, parse_raw
from sage_rag.privacy.operators.surrogate import Surrogates
from sage_rag.privacy.policy import Policy
from sage_rag.privacy.protect import Protector, seal
from sage_rag.privacy.protocols import Recognizer

_CHUNK_RECORDS = 64
_CHUNK_CHARS = 200_000
"""What travels to a worker at once: enough that sending costs little beside recognising."""
_CHUNKS_IN_FLIGHT = 3
"""For each worker: one at work, one waiting, one being filled. It bounds the memory."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record to protect: its place or name, and its texts by field. `repr` hides the texts."""

    id: str
    fields: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class RecordResult:
    """What became of a record: its protected fields, or why there are none.

    `counts`: distinct values hidden or coarsened, by entity type. `failure` holds no plain text.
    """

    id: str
    fields: Mapping[str, str] | None
    counts: Mapping[EntityType, int]
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """How records are protected. `recognizer` is an importable function that builds one.

    Each worker process builds its own: recognizers hold models and tables that do not travel.
    """

    corpus: str
    policy: Policy
    recognizer: Callable[[], Recognizer]

    def protector(self, keyset: Keyset) -> Protector:
        """Return a protector of this corpus under this policy."""
        cipher, surrogates = default_cipher(keyset, self.corpus), Surrogates(keyset, self.corpus)
        return Protector(self.recognizer(), self.policy, cipher, surrogates)


def protect_records(
    records: Iterable[Record], keyset: Keyset, setup: Setup, *, workers: int = 1
) -> Iterator[RecordResult]:
    """Yield the outcome of every record, in order, while the records are being read.

    One record that cannot be protected is an outcome with a failure; the others go on. With more
    than one worker, keys travel to new processes through a pipe of the operating system, never
    through a file, an argument or the environment.

    Guarantees: at most a few hundred records are held at a time, however many there are.

    Raises:
        SageRagError: when a worker process ends (killed, out of memory) or cannot be set up.
        ValueError: for less than one worker.
    """
    if workers < 1:
        raise ValueError("it takes at least one worker")
    if workers == 1:
        protector = setup.protector(keyset)
        return (_protected(record, protector) for record in records)
    return _on_processes(records, keyset, setup, workers)


def _protected(record: Record, protector: Protector) -> RecordResult:
    try:
        protection = protector.protect(record.fields)
        fields = {n: seal(t, protection.tokens) for n, t in protection.protected.fields.items()}
    except SageRagError as error:
        return RecordResult(record.id, None, {}, error.message)
    except Exception as error:  # noqa: BLE001 - its message may hold the record's text
        return RecordResult(record.id, None, {}, f"unexpected {type(error).__name__}")
    counts = Counter(identifier.entity_type for identifier in protection.identifiers)
    return RecordResult(record.id, fields, dict(counts))


def _on_processes(
    records: Iterable[Record], keyset: Keyset, setup: Setup, workers: int
) -> Iterator[RecordResult]:
    pool = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start_worker,
        initargs=(_keys_for_worker_processes(keyset), setup),
    )
    waiting: deque[Future[list[RecordResult]]] = deque()
    try:
        for chunk in _chunks(records):
            waiting.append(pool.submit(_work, chunk))
            if len(waiting) >= _CHUNKS_IN_FLIGHT * workers:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    except BrokenProcessPool:
        raise SageRagError(
            "a worker process ended before its records were protected",
            hint="it may have run out of memory: try fewer --workers",
        ) from None
    finally:
        # Also when the reader stops early or Ctrl-C comes: no process and no key stays behind.
        pool.shutdown(wait=True, cancel_futures=True)


def _keys_for_worker_processes(keyset: Keyset) -> str:
    """Return the keys in clear. A keyset refuses to be pickled; this is the one way around it."""
    return export_raw(keyset)


def _chunks(records: Iterable[Record]) -> Iterator[list[Record]]:
    chunk: list[Record] = []
    chars = 0
    for record in records:
        chunk.append(record)
        chars += sum(map(len, record.fields.values()))
        if len(chunk) >= _CHUNK_RECORDS or chars >= _CHUNK_CHARS:
            yield chunk
            chunk, chars = [], 0
    if chunk:
        yield chunk


_worker: list[Protector | SageRagError] = []
"""In a worker process: what it was set up with. Empty in every other process."""


def _start_worker(keys: str, setup: Setup) -> None:
    # Ctrl-C reaches the whole process group; the parent decides what ends, and when.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        _worker.append(setup.protector(parse_raw(keys)))
    except SageRagError as error:
        _worker.append(error)  # raised with the first chunk: here it would only break the pool
    except Exception as error:  # noqa: BLE001 - tracebacks of workers go to the terminal
        _worker.append(SageRagError(f"a worker cannot be set up: {type(error).__name__}"))


def _end_with_parent() -> None:
    """End this process once its parent has: after kill -9 that could not tell us to."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # nobody is left to hear of it, and the keys shall be gone


def _work(chunk: list[Record]) -> list[RecordResult]:
    (protector,) = _worker
    if isinstance(protector, SageRagError):
        raise protector
    return [_protected(record, protector) for record in chunk]
