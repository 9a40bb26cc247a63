"""Membership: how well a score separates indexed records from others of their kind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import InputError
from sage_rag.common.proportions import Proportion

FALSE_POSITIVES = 0.01
"""Source: Carlini et al. (2022), "Membership inference attacks from first principles", §III: the
rate of true positives where false ones are rare; an average hides who is exposed."""
_RESAMPLES = 2000


class Membership(BaseModel):
    """How well a score separates indexed records (`members`) from others of their kind.

    `auc`: the probability that a member has the higher score, ties counting half (the area under
    the ROC curve), with the 95 % percentile bootstrap over records, seeded. An area of 0 or 1 has
    the one-sided exact interval instead, since no resampling varies it: of `min(members, others)`
    pairs without a common record, all have the same winner. `detected`: members with a score that
    at most 1 % of the others reach; the interval takes the threshold as given.
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
        low, high = (round(q, 4) for q in _bounds(wins))
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


def _bounds(wins: NDArray[np.float64]) -> tuple[float, float]:
    pairs = min(wins.shape)
    for share, won in ((0.0, 0), (1.0, pairs)):
        if (wins == share).all():
            exact = Proportion.of(won, pairs)
            return exact.low, exact.high
    low, high = np.quantile(_resampled(wins), (0.025, 0.975))
    return float(low), float(high)


def _resampled(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of `(members, others)` wins for each bootstrap sample of both."""
    random = np.random.default_rng(0)
    drawn = [random.multinomial(n, np.full(n, 1 / n), _RESAMPLES) / n for n in wins.shape]
    return np.asarray((drawn[0] @ wins * drawn[1]).sum(axis=1))
