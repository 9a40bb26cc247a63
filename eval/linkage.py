"""Linkage and membership: what an attacker learns who holds records and reads the index.

The attacker needs no key: the embedder is public, and words are words. *Linkage*: which of the
corpus's records a passage was made from. *Membership*: whether a record was indexed at all.

Both use one matrix of likeness between passages and records, by `cosine` of the embedder's vectors,
and by `runs`: the number of different runs of four words in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict
from scipy.sparse import csr_matrix

from sage_rag.common.exceptions import InputError
from sage_rag.common.proportions import Proportion
from sage_rag.indexer.protocols import Embedder
from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.tokens import readable_view

RUN_WORDS = 4
"""Words of a run. Runs of four are rare enough to tell records apart, and far shorter than those
that the gate refuses."""
FALSE_POSITIVES = 0.01
"""Source: Carlini et al. (2022), "Membership inference attacks from first principles", §III: the
rate of true positives where false ones are rare; an average hides who is exposed."""
_RESAMPLES = 2000

Scores = NDArray[np.float64]


class Membership(BaseModel):
    """How well a score separates indexed records (`members`) from others of their kind.

    `auc`: the probability that a member has the higher score, ties counting half (the area under
    the ROC curve), with the 95 % percentile bootstrap over records, seeded. `detected`: members
    with a score that at most 1 % of the others reach; the interval takes the threshold as given.
    """

    model_config = ConfigDict(frozen=True)

    members: int
    others: int
    auc: float
    low: float
    high: float
    detected: Proportion

    @classmethod
    def of(cls, members: Sequence[float], others: Sequence[float]) -> Membership:
        """Compare the scores of members and of others.

        Raises:
            InputError: without any of either.
        """
        if not len(members) or not len(others):
            raise InputError("membership needs indexed records and others")
        own, foreign = np.asarray(members, np.float64), np.asarray(others, np.float64)
        wins = (np.sign(own[:, None] - foreign[None, :]) + 1) / 2
        low, high = (round(float(q), 4) for q in np.quantile(_resampled(wins), (0.025, 0.975)))
        allowed = int(FALSE_POSITIVES * len(foreign))
        threshold = np.sort(foreign)[::-1][allowed]
        return cls(
            members=len(own),
            others=len(foreign),
            auc=round(float(wins.mean()), 4),
            low=low,
            high=high,
            detected=Proportion.of(int((own > threshold).sum()), len(own)),
        )


class Exposure(BaseModel):
    """What one kind of likeness reveals.

    `linked`: passages whose nearest record is their own; a tie with another record does not count.
    `membership`: `None` without records that were not indexed.
    """

    model_config = ConfigDict(frozen=True)

    likeness: str
    linked: Proportion
    membership: Membership | None = None


@dataclass(frozen=True, slots=True)
class PublishedText:
    """The text of a passage, and the id of the record that it was made from."""

    source: str
    text: str = field(repr=False)


def exposures(
    published: Sequence[PublishedText],
    originals: Mapping[str, str],
    others: Sequence[str],
    embedder: Embedder,
) -> tuple[Exposure, ...]:
    """Measure linkage and membership by each kind of likeness.

    `originals`: the corpus by id; `others`: records of the same kind that were not indexed.
    Members are the originals with a passage.

    Raises:
        InputError: without passages, or for a passage whose record is not in the corpus.
    """
    if not published:
        raise InputError("there is no passage to link")
    columns = {record: column for column, record in enumerate(originals)}
    if any(passage.source not in columns for passage in published):
        raise InputError("a passage has a source that is not in the corpus")
    own = np.asarray([columns[passage.source] for passage in published])
    passages = [passage.text for passage in published]
    records = [*originals.values(), *others]

    counts, sizes = _shared_runs(passages, records)
    scores = {"cosine": _cosines(passages, records, embedder), "runs": counts}
    # A long record shares more runs with any passage, so membership takes the share of its own.
    shares = {"cosine": scores["cosine"], "runs": counts / np.maximum(sizes, 1)}
    known = len(originals)
    return tuple(
        Exposure(
            likeness=name,
            linked=_linked(scores[name][:, :known], own),
            membership=_membership(shares[name], own, known),
        )
        for name in scores
    )


def _linked(scores: Scores, own: NDArray[np.int64]) -> Proportion:
    """Count the rows whose highest score is that of their own column, and of no other."""
    rows = np.arange(len(own))
    mine = scores[rows, own]
    rest = scores.copy()
    rest[rows, own] = -np.inf
    return Proportion.of(int((mine > rest.max(axis=1)).sum()), len(own))


def _membership(scores: Scores, own: NDArray[np.int64], known: int) -> Membership | None:
    best = scores.max(axis=0)
    if len(best) == known:
        return None
    return Membership.of(best[np.unique(own)].tolist(), best[known:].tolist())


def _resampled(wins: Scores) -> Scores:
    """Return the mean of `(members, others)` wins for each bootstrap sample of both."""
    random = np.random.default_rng(0)
    drawn = [random.multinomial(n, np.full(n, 1 / n), _RESAMPLES) / n for n in wins.shape]
    return np.asarray((drawn[0] @ wins * drawn[1]).sum(axis=1))


def _cosines(passages: Sequence[str], records: Sequence[str], embedder: Embedder) -> Scores:
    """Return `(passages, records)`: cosines of what an index embeds and of plain records."""
    views = embedder.embed([readable_view(text) for text in passages])
    return np.asarray(views @ embedder.embed(records).T, dtype=np.float64)


def _shared_runs(passages: Sequence[str], records: Sequence[str]) -> tuple[Scores, Scores]:
    """Return `(passages, records)` counts of common runs, and `(records,)` of each record's own."""
    numbers: dict[tuple[str, ...], int] = {}
    found = [
        [numbers.setdefault(run, len(numbers)) for run in _runs(text)]
        for text in chain(passages, records)
    ]
    holds = _indicators(found, len(numbers))
    first, second = holds[: len(passages)], holds[len(passages) :]
    counts = np.asarray((first @ second.T).todense(), dtype=np.float64)
    return counts, np.asarray(second.sum(axis=1), dtype=np.float64).ravel()


def _runs(text: str) -> set[tuple[str, ...]]:
    tokens = draft_tokens(text)
    return set(zip(*(tokens[offset:] for offset in range(RUN_WORDS)), strict=False))


def _indicators(found: Sequence[Sequence[int]], width: int) -> csr_matrix:
    """Return a sparse `(texts, width)` matrix with 1 for each number that a text holds."""
    starts = np.cumsum([0, *map(len, found)])
    columns = np.fromiter(chain.from_iterable(found), dtype=np.int64, count=int(starts[-1]))
    values = np.ones(len(columns), dtype=np.int64)
    return csr_matrix((values, columns, starts), shape=(len(found), width))
