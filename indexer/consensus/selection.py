"""Choose the statements of a topic that are nearest to what its records say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sage_rag.indexer.consensus.candidates import Candidate
from sage_rag.indexer.consensus.phrases import Phrase
from sage_rag.indexer.protocols import Vector, Vectors

_LEAST_COSINE = 0.15
"""A statement that is farther from the centroid is not chosen."""
_PHASES = (
    (Phrase.CLAUSE, 0.4),
    (Phrase.POSSIBLE, 0.3),
    (Phrase.CAUSE, 0.2),
    (Phrase.ADVISED, 0.15),
    (Phrase.TOPIC, 0.0),
)
"""What is chosen first, and the share of a field's words that it leaves to what follows."""
_NEW_WORD = 0.02
"""What a new content word is worth, in units of cosine."""
_NOVEL = 0.5
"""The least share of a statement's content words that are not said yet."""


def choose(
    candidates: Sequence[Candidate], vectors: Vectors, centroid: Vector, most_words: int
) -> list[int]:
    """Return the rows of chosen candidates, in the order in which they are chosen.

    `vectors`: `(n, dim)`, of the candidates; `centroid`: `(dim,)`, of the topic's records.

    Greedy: each step adds the statement with which the sum of the chosen vectors, each weighed by
    the square root of its words, is nearest to the centroid. At least half of a statement's content
    words are new. Clauses come first, then what is possible, its causes, and what is advised, each
    up to a share of the words.

    Source: Rossiello et al. (2017), "Centroid-based text summarization through compositionality of
    word embeddings", §3 (greedy selection). Differs: statements are vectors of the whole embedder.
    """
    weights = np.sqrt([len(c.key) for c in candidates]).astype(np.float32)
    near = vectors @ centroid
    total = np.zeros_like(centroid)
    said: set[str] = set()
    chosen: list[int] = []
    room = most_words
    ranked = [int(row) for row in np.argsort(-near, kind="stable") if near[row] > _LEAST_COSINE]
    for phrase, left in _PHASES:
        pool = [row for row in ranked if candidates[row].phrase is phrase]
        while pool:
            pool = [r for r in pool if len(candidates[r].key) <= room - left * most_words]
            novelty = np.array([_novelty(candidates[r], said) for r in pool])
            pool = [r for r, new in zip(pool, novelty, strict=True) if new >= _NOVEL]
            if not pool:
                break
            novelty = novelty[novelty >= _NOVEL]
            sums = total + vectors[pool] * weights[pool, None]
            cosines = (sums @ centroid) / np.maximum(np.linalg.norm(sums, axis=1), 1e-9)
            best = pool[int(np.argmax(cosines + _NEW_WORD * novelty * weights[pool]))]
            chosen.append(best)
            total = total + vectors[best] * weights[best]
            said |= candidates[best].stems
            room -= len(candidates[best].key)
            pool.remove(best)
    return chosen


def _novelty(candidate: Candidate, said: set[str]) -> float:
    return len(candidate.stems - said) / len(candidate.stems)
