"""Linkage and membership: what an attacker learns who holds records and reads the index.

The attacker needs no key: the embedder is public, and words are words. *Linkage*: which of the
corpus's records a passage was made from. *Membership*: whether a record was indexed at all.

A record is compared with each passage by `cosine` of the embedder's vectors, and by `runs`: the
number of different runs of four words in common. `union` compares it with the index as a whole:
runs of the record that any passage has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict
from scipy.sparse import csr_matrix

from sage_rag.common.exceptions import InputError
from sage_rag.common.proportions import Proportion
from sage_rag.eval.membership import Membership
from sage_rag.indexer.protocols import Embedder, Vectors
from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.tokens import readable_view

RUN_WORDS = 4
"""Words of a run. Runs of four are rare enough to tell records apart, and far shorter than those
that the gate refuses."""
_BLOCK = 512
"""Passages compared at a time: with 20,000 records a block has 80 MB."""

_Scores = NDArray[np.float64]
_Columns = NDArray[np.int64]


class Exposure(BaseModel):
    """What one kind of likeness reveals.

    `linked`: passages whose nearest record is one of those that they were made from; a tie with
    another record does not count. `None` for `union`, which compares no single passage. `chance`:
    the share that a guess links. `membership`: `None` without records that were not indexed.
    """

    model_config = ConfigDict(frozen=True)

    likeness: str
    linked: Proportion | None
    chance: float | None = None
    membership: Membership | None = None


@dataclass(frozen=True, slots=True)
class PublishedText:
    """The text of a passage, and the ids of the records that it was made from."""

    sources: tuple[str, ...]
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class HeldRecords:
    """The records that an attacker holds, by id.

    `indexed`: the whole corpus; `others`: records of the same kind that were not indexed.
    `members`: the ids of which membership is asked, by default all of `indexed`. `subject` returns
    whose record an id is. Membership is asked of subjects: the mean score of a subject's records
    counts, since a piece of stock phrases alone is in any index. By default each record is its own
    subject.
    """

    indexed: Mapping[str, str] = field(repr=False)
    others: Mapping[str, str] = field(repr=False)
    members: Collection[str] | None = None
    subject: Callable[[str], str] = str

    @property
    def texts(self) -> list[str]:
        """The texts of all records, indexed ones first."""
        return [*self.indexed.values(), *self.others.values()]

    def membership(self, scores: _Scores) -> Membership | None:
        """Compare members and others by `(records,)` scores; `None` without others."""
        if not self.others:
            return None
        known = dict(zip(self.indexed, scores, strict=False))
        asked = self.indexed if self.members is None else self.members
        others = zip(self.others, scores[len(self.indexed) :], strict=True)
        return Membership.of(
            self._by_subject((record, known[record]) for record in asked),
            self._by_subject(others),
        )

    def _by_subject(self, scores: Iterable[tuple[str, float]]) -> list[float]:
        grouped: dict[str, list[float]] = {}
        for record, score in scores:
            grouped.setdefault(self.subject(record), []).append(float(score))
        return list(map(fmean, grouped.values()))


def exposures(
    published: Sequence[PublishedText], held: HeldRecords, embedder: Embedder
) -> tuple[Exposure, ...]:
    """Measure linkage and membership by each kind of likeness.

    Raises:
        InputError: without passages, or for a passage whose record is not in the corpus.
    """
    if not published:
        raise InputError("there is no passage to link")
    columns = {record: column for column, record in enumerate(held.indexed)}
    if any(not p.sources or not columns.keys() >= set(p.sources) for p in published):
        raise InputError("a passage has a source that is not in the corpus")
    own = [np.asarray([columns[source] for source in p.sources]) for p in published]
    passages, records = [passage.text for passage in published], held.texts
    runs = _RunTable.of(passages, records)
    chance = round(sum(map(len, own)) / len(own) / len(columns), 6)

    def exposure(name: str, blocks: Iterable[_Scores], sizes: _Scores | float) -> Exposure:
        linked, best = _compared(blocks, own, len(columns))
        return Exposure(
            likeness=name,
            linked=Proportion.of(linked, len(own)),
            chance=chance,
            membership=held.membership(best / sizes),
        )

    return (
        exposure("cosine", _cosines(passages, records, embedder), 1.0),
        # A long record shares more runs with any passage, so membership takes the share of its own.
        exposure("runs", runs.common(), runs.sizes),
        Exposure(likeness="union", linked=None, membership=held.membership(runs.anywhere())),
    )


def _compared(
    blocks: Iterable[_Scores], own: Sequence[_Columns], known: int
) -> tuple[int, _Scores]:
    """Return how many passages are linked, and each record's best score.

    `blocks`: `(passages, records)` scores, some passages at a time; the first `known` records are
    those of the corpus. A passage is linked if the best of its `own` columns exceeds all others.
    """
    linked, best = 0, np.zeros(0)
    columns = iter(own)
    for block in blocks:
        highest = block.max(axis=0)
        best = np.maximum(best, highest) if len(best) else highest
        for scores, mine in zip(block[:, :known], columns, strict=False):
            rest = scores.copy()
            rest[mine] = -np.inf
            linked += bool(scores[mine].max() > rest.max())
    return linked, best


def _cosines(
    passages: Sequence[str], records: Sequence[str], embedder: Embedder
) -> Iterator[_Scores]:
    """Yield blocks of `(passages, records)`: cosines of what an index embeds and plain records."""
    views: Vectors = embedder.embed([readable_view(text) for text in passages])
    plain = embedder.embed(records).T
    for start in range(0, len(views), _BLOCK):
        yield np.asarray(views[start : start + _BLOCK] @ plain, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _RunTable:
    """Which runs of four words passages and records have, as sparse `(texts, runs)` matrices."""

    passages: csr_matrix = field(repr=False)
    records: csr_matrix = field(repr=False)

    @classmethod
    def of(cls, passages: Sequence[str], records: Sequence[str]) -> _RunTable:
        numbers: dict[tuple[str, ...], int] = {}
        found = [
            [numbers.setdefault(run, len(numbers)) for run in _runs(text)]
            for text in chain(passages, records)
        ]
        holds = _indicators(found, len(numbers))
        return cls(holds[: len(passages)], holds[len(passages) :])

    @property
    def sizes(self) -> _Scores:
        """`(records,)`: each record's number of runs, at least 1."""
        return np.maximum(np.asarray(self.records.sum(axis=1), np.float64).ravel(), 1)

    def common(self) -> Iterator[_Scores]:
        """Yield blocks of `(passages, records)`: the number of common runs."""
        turned = self.records.T
        for start in range(0, self.passages.shape[0], _BLOCK):
            block = self.passages[start : start + _BLOCK] @ turned
            yield np.asarray(block.todense(), dtype=np.float64)

    def anywhere(self) -> _Scores:
        """Return `(records,)`: the share of a record's runs that occur anywhere in the index."""
        published = np.asarray(self.passages.sum(axis=0) > 0, np.float64).ravel()
        return np.asarray(self.records @ published, np.float64) / self.sizes


def _runs(text: str) -> set[tuple[str, ...]]:
    tokens = draft_tokens(text)
    return set(zip(*(tokens[offset:] for offset in range(RUN_WORDS)), strict=False))


def _indicators(found: Sequence[Sequence[int]], width: int) -> csr_matrix:
    """Return a sparse `(texts, width)` matrix with 1 for each number that a text holds."""
    starts = np.cumsum([0, *map(len, found)])
    columns = np.fromiter(chain.from_iterable(found), dtype=np.int64, count=int(starts[-1]))
    values = np.ones(len(columns), dtype=np.int64)
    return csr_matrix((values, columns, starts), shape=(len(found), width))
