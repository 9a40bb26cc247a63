"""Ratios of two means over the same questions, with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict

_RESAMPLES = 2000


class Ratio(BaseModel):
    """The ratio of two means over the same questions, with a 95 % interval.

    The interval is a percentile bootstrap over questions, seeded.
    """

    model_config = ConfigDict(frozen=True)
    value: float
    low: float
    high: float

    @classmethod
    def of(cls, own: Sequence[float], reference: Sequence[float]) -> Ratio | None:
        """Return the ratio of two means over questions; `None` if the reference is 0."""
        pairs = np.asarray([own, reference], dtype=np.float64)
        if not pairs[1].any():
            return None
        drawn = np.random.default_rng(0).integers(0, pairs.shape[1], (_RESAMPLES, pairs.shape[1]))
        sums = pairs[:, drawn].sum(axis=2)
        ratios = sums[0, sums[1] > 0] / sums[1, sums[1] > 0]  # a draw with reference 0 has no ratio
        low, high = (round(float(q), 4) for q in np.quantile(ratios, (0.025, 0.975)))
        return cls(value=round(float(pairs[0].sum() / pairs[1].sum()), 4), low=low, high=high)
