"""Hide a passage that is suspiciously near to a question when no other is."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, pi, sqrt

import numpy as np

ALPHA = 0.05
"""Share of ordinary questions whose nearest passage is hidden if similarities are normal."""
FEWEST = 30
"""Passages from which their similarities can be described."""


def is_suspicious(nearest: float, others: Sequence[float], alpha: float = ALPHA) -> bool:
    """Return whether the nearest passage is much nearer to a question than chance explains.

    `others`: the similarities of the question and a sample of the other passages. The largest of n
    normal values follows a Gumbel distribution. A similarity beyond its `1 - alpha` quantile shows
    a question that was written with the passage at hand, to learn whether it is in the index.

    Guarantees: nothing. An attacker who asks vaguely is not found, and a user who asks about one
    special record is hidden it.

    Source: "Safeguarding privacy of retrieval data against membership inference attacks", arXiv
    2505.22061 (Mirabel). Differs: mean and deviation are those of a sample, without the nearest.
    """
    if len(others) < FEWEST:
        return False
    values = np.asarray(others, dtype=np.float64)
    n = len(values) + 1
    spread = sqrt(2 * log(n))
    # Location and scale of the largest of n standard normal values.
    location = spread - (log(log(n)) + log(4 * pi)) / (2 * spread)
    quantile = location - log(-log(1 - alpha)) / spread
    return nearest > float(values.mean()) + float(values.std()) * quantile
