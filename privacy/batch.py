"""Protect a stream of records in order, in bounded memory, on one or more processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sage_rag.common.exceptions import SageRagError
from sage_rag.common.workers import map_on_processes
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.keyset.raw import export_raw, parse_raw
from sage_rag.privacy.languages import uncovered_language
from sage_rag.privacy.operators.surrogate import Surrogates
from sage_rag.privacy.policy import Policy
from sage_rag.privacy.protect import Protector, seal
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.catalog import DEFAULT_LANGUAGES

_CHUNK_RECORDS = 64
_CHUNK_CHARS = 200_000
"""The size of a message to a worker: large enough that sending costs little next to recognising."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record to protect: an id, and its texts by field. `repr` hides the texts."""

    id: str
    fields: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class RecordOutcome:
    """The protected fields of a record, or why there are none.

    `counts`: distinct values hidden or coarsened, by entity type. `failure` holds no plain text.
    """

    id: str
    fields: Mapping[str, str] | None
    counts: Mapping[EntityType, int]
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class ProtectorSpec:
    """What a `Protector` is built from. `recognizer` is an importable function that builds one.

    `languages`, as ISO 639-1 codes: those that it covers; records in others are refused.
    Each worker process builds its own: the models and tables of a recognizer cannot be pickled.
    """

    corpus: str
    policy: Policy
    recognizer: Callable[[], Recognizer]
    languages: frozenset[str] = DEFAULT_LANGUAGES

    def build(self, keyset: Keyset) -> Protector:
        """Return a protector of this corpus under this policy."""
        cipher, surrogates = default_cipher(keyset, self.corpus), Surrogates(keyset, self.corpus)
        return Protector(self.recognizer(), self.policy, cipher, surrogates)


def protect_records(
    records: Iterable[Record], keyset: Keyset, spec: ProtectorSpec, *, workers: int = 1
) -> Iterator[RecordOutcome]:
    """Yield the outcome of each record, in order, while the records are read.

    A record that cannot be protected yields a failure; the others continue. With more than one
    worker, keys go to the new processes through a pipe of the operating system, never through a
    file, an argument or the environment.

    Guarantees: holds at most a few hundred records at a time.

    Raises:
        SageRagError: when a worker cannot be set up, or three end (killed, out of memory) over the
            same records.
        ValueError: for less than one worker.
    """
    if workers < 1:
        raise ValueError("protecting needs at least one worker")
    if workers == 1:
        protector = spec.build(keyset)
        return (_protected(record, protector, spec.languages) for record in records)
    answers = map_on_processes(_WorkerSetup(keyset, spec), "protect", _chunks(records), workers)
    return (result for results in answers for result in results)


def _protected(record: Record, protector: Protector, languages: frozenset[str]) -> RecordOutcome:
    if language := uncovered_language(record.fields.values(), languages):
        failure = f"no recognizer covers its language, `{language}`: docs/privacy.md, Languages"
        return RecordOutcome(record.id, None, {}, failure)
    try:
        protection = protector.protect(record.fields)
        fields = {n: seal(t, protection.tokens) for n, t in protection.protected.fields.items()}
    except SageRagError as error:
        return RecordOutcome(record.id, None, {}, error.message)
    except Exception as error:  # noqa: BLE001 - its message may hold the record's text
        return RecordOutcome(record.id, None, {}, f"unexpected {type(error).__name__}")
    counts = Counter(identifier.entity_type for identifier in protection.identifiers)
    return RecordOutcome(record.id, fields, dict(counts))


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


class _WorkerSetup:
    """Builds the protector of a worker process. It is pickled into a pipe alone, with the keys.

    A keyset refuses to be pickled; this is the only way around that.
    """

    def __init__(self, keyset: Keyset, spec: ProtectorSpec) -> None:
        self._keys = export_raw(keyset)
        self._spec = spec

    def __call__(self) -> _WorkerHandler:
        return _WorkerHandler(self._spec.build(parse_raw(self._keys)), self._spec.languages)


class _WorkerHandler:
    def __init__(self, protector: Protector, languages: frozenset[str]) -> None:
        self._protector = protector
        self._languages = languages

    @property
    def fingerprint(self) -> str:
        return self._protector.fingerprint

    def answer(self, task: str, argument: Any) -> list[RecordOutcome]:
        return [_protected(record, self._protector, self._languages) for record in argument]
