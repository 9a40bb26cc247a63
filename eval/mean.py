"""Means with intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict
from scipy import stats

_RESAMPLES = 2000


class Mean(BaseModel):
    """The mean of `count` values, with a 95 % interval.

    The interval is a percentile bootstrap over the values, seeded. One value gives no interval: it
    then is the value itself.
    """

    model_config = ConfigDict(frozen=True)
    value: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean | None:
        """Return the mean; `None` without a value."""
        if not len(values):
            return None
        found = np.asarray(values, dtype=np.float64)
        random = np.random.default_rng(0)
        drawn = random.multinomial(len(found), np.full(len(found), 1 / len(found)), _RESAMPLES)
        low, high = np.quantile(drawn @ found / len(found), (0.025, 0.975))
        rounded = (round(float(x), 4) for x in (found.mean(), low, high))
        return cls(**dict(zip(("value", "low", "high"), rounded, strict=True)), count=len(found))

    def __str__(self) -> str:
        return f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"


def t_margin(values: Sequence[float]) -> float:
    """Return half the width of the 95 % t interval of the mean of two values or more."""
    factor = stats.t.ppf(0.975, len(values) - 1)
    return float(factor * np.std(values, ddof=1) / np.sqrt(len(values)))
