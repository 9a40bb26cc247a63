"""Hide a passage that a question repeats: it was asked to learn whether the passage is indexed."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sage_rag.rag_server.retrieval import SearchableLayer

ALPHA = 0.05
"""Share of ordinary questions whose nearest passage passes the first test if similarities are
normal."""
FEWEST = 30
"""Passages from which their similarities can be described."""
LEAD = 0.05
"""How much nearer than the second passage. Chosen with `closeness_of_copies` on `healthcaremagic`
and `quality` (docs/results/answers.md)."""
_SAMPLE = 200


def closeness_of_copies(layer: SearchableLayer) -> float:
    """Return the similarity of a passage to half of its own sentences: the median of a sample.

    It is computed from stored vectors. 0 where a layer has no sentences.
    """
    rows = np.unique(np.linspace(0, len(layer) - 1, _SAMPLE).astype(np.int64))
    found = []
    for row in rows:
        vectors = list(layer.sentence_vectors([int(row)]).values())
        if vectors:
            mean = np.asarray(vectors[: (len(vectors) + 1) // 2]).mean(axis=0)
            half = np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), dtype=np.float32)
            found += [score for _, score in layer.search_dense(half, 1, np.array([row]))]
    return float(np.median(found)) if found else 0.0


def is_suspicious(
    nearest: float, others: Sequence[float], closeness: float = 0.0, alpha: float = ALPHA
) -> bool:
    """Return whether a question repeats the nearest passage, as far as vectors show it.

    Three tests must agree. The nearest passage is nearer than chance explains: the largest of n
    normal values follows a Gumbel distribution, and it is beyond its `1 - alpha` quantile. It is as
    near as half of its own text is to a passage of this index. It leads the second one.

    `others`: the similarities of the question and a sample of the other passages, the second
    nearest included. `closeness`: as `closeness_of_copies` returns it.

    Guarantees: nothing. An attacker who asks as users do is not found, and a user who repeats a
    record is hidden it.

    Source: "Safeguarding privacy of retrieval data against membership inference attacks", arXiv
    2505.22061 (Mirabel), for the first test. Differs: mean and deviation are those of a sample,
    without the nearest; alone it hides the answers of half of the ordinary questions.
    """
    if len(others) < FEWEST:
        return False
    values = np.asarray(others, dtype=np.float64)
    n = len(values) + 1
    spread = sqrt(2 * log(n))
    # Location and scale of the largest of n standard normal values.
    location = spread - (log(log(n)) + log(4 * pi)) / (2 * spread)
    quantile = location - log(-log(1 - alpha)) / spread
    surprising = nearest > float(values.mean()) + float(values.std()) * quantile
    return surprising and nearest >= closeness and nearest - float(values.max()) >= LEAD
