"""Topics: overlapping groups of similar records, each of at least k subjects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sage_rag.indexer.consensus.options import ConsensusOptions
from sage_rag.indexer.protocols import Vectors

_CELL = 4096
"""The most records that are compared with all centroids; more are divided into cells first, so that
time is linear in the records."""
_PASSES = 25

_Labels = NDArray[np.int64]


def group_records(
    vectors: Vectors, subjects: Sequence[str], options: ConsensusOptions
) -> list[list[int]]:
    """Return the rows of each topic, in ascending order; the topics in the order of their rows.

    `vectors`: `(records, dim)`, of length 1. Each record joins the topics of its nearest centroids
    (spherical k-means, seeded). A topic of fewer than k subjects is dissolved, and its records join
    the nearest one of the rest. No topic is returned where all records have fewer subjects.

    Source: Dhillon and Modha (2001), "Concept decompositions for large sparse text data", §3.
    """
    topics: set[tuple[int, ...]] = set()
    for cell in _cells(vectors):
        rows = np.flatnonzero(cell).tolist()
        local = _topics_of_cell(vectors[rows], [subjects[row] for row in rows], options)
        topics.update(tuple(rows[i] for i in topic) for topic in local)
    return [list(topic) for topic in sorted(topics)]


def _cells(vectors: Vectors) -> list[NDArray[np.bool_]]:
    count = -(-len(vectors) // _CELL)
    if count <= 1:
        return [np.ones(len(vectors), dtype=bool)]
    labels = _nearest(vectors, _centroids(vectors, count))[:, 0]
    return [labels == label for label in np.unique(labels)]


def _topics_of_cell(
    vectors: Vectors, subjects: Sequence[str], options: ConsensusOptions
) -> list[list[int]]:
    if not subjects or len(set(subjects)) < options.k:
        return []
    count = max(1, len(vectors) // options.topic_records)
    ranking = _nearest(vectors, _centroids(vectors, count))
    joined = _joined(ranking, options.topics_per_record, frozenset(range(ranking.shape[1])))
    open_topics = {t for t, rows in joined.items() if _subjects(rows, subjects) >= options.k}
    if not open_topics:
        return [list(range(len(vectors)))]
    joined = _joined(ranking, options.topics_per_record, frozenset(open_topics))
    return [joined[topic] for topic in sorted(joined)]


def _joined(ranking: _Labels, most: int, allowed: frozenset[int]) -> dict[int, list[int]]:
    """Return the rows of each allowed topic: a row joins its nearest `most` topics.

    A topic that is not allowed takes its place among these, but a row joins one at least.
    """
    joined: dict[int, list[int]] = defaultdict(list)
    for row, order in enumerate(ranking.tolist()):
        chosen = [topic for topic in order[:most] if topic in allowed]
        for topic in chosen or [next(topic for topic in order if topic in allowed)]:
            joined[topic].append(row)
    return joined


def _subjects(rows: Sequence[int], subjects: Sequence[str]) -> int:
    return len({subjects[row] for row in rows})


def _centroids(vectors: Vectors, count: int) -> Vectors:
    centroids = _seeds(vectors, count)
    before: _Labels | None = None
    for _ in range(_PASSES):
        labels = (vectors @ centroids.T).argmax(axis=1)
        if before is not None and (labels == before).all():
            break
        before = labels
        sums = np.zeros_like(centroids)
        np.add.at(sums, labels, vectors)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        centroids = np.where(norms > 0, sums / np.maximum(norms, 1e-9), centroids)
    return centroids


def _seeds(vectors: Vectors, count: int) -> Vectors:
    """Return `count` rows, each drawn by its distance from those drawn before.

    Source: Arthur and Vassilvitskii (2007), "k-means++", §2.2.
    """
    random = np.random.default_rng(0)
    rows = [int(random.integers(len(vectors)))]
    distance = np.full(len(vectors), np.inf)
    while len(rows) < count:
        distance = np.minimum(distance, np.maximum(1 - vectors @ vectors[rows[-1]], 0))
        distance[rows] = 0
        weights = distance + 1e-12
        rows.append(int(random.choice(len(vectors), p=weights / weights.sum())))
    return vectors[rows]


def _nearest(vectors: Vectors, centroids: Vectors) -> _Labels:
    """Return `(records, centroids)`: the centroids of each record, nearest first."""
    return np.argsort(-(vectors @ centroids.T), axis=1, kind="stable")
