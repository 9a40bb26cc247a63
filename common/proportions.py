"""Proportions with exact confidence bounds."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from scipy.special import betaincinv

CONFIDENCE = 0.95


class Count(BaseModel):
    """`successes` of `trials` that are all there are, so that there is no interval."""

    model_config = ConfigDict(frozen=True)
    successes: int
    trials: int

    def __str__(self) -> str:
        return f"{self.successes} of {self.trials}"


class Proportion(Count):
    """`successes` of `trials`, with the 95 % Clopper-Pearson interval `[low, high]` in [0, 1].

    With no success, or no failure, the interval is one-sided: all 5 % lie on the open side.
    Without trials it is 0 to 1.

    Source: Clopper and Pearson (1934), "The use of confidence or fiducial limits illustrated in
    the case of the binomial".
    """

    low: float
    high: float

    @classmethod
    def of(cls, successes: int, trials: int) -> Proportion:
        """Compute the interval.

        Raises:
            ValueError: unless 0 <= successes <= trials.
        """
        if not 0 <= successes <= trials:
            raise ValueError(f"{successes} of {trials} is not a proportion")
        low, high = _bounds(successes, trials)
        return cls(successes=successes, trials=trials, low=low, high=high)

    def __str__(self) -> str:
        counted = super().__str__()
        if not self.trials:
            return f"{counted} (nothing measured)"
        if not self.successes:
            return f"{counted} (95 %: at most {percent(self.high)} %)"
        if self.successes == self.trials:
            return f"{counted} (95 %: at least {percent(self.low)} %)"
        share, low, high = (f"{100 * x:.1f}" for x in (self._share, self.low, self.high))
        return f"{counted} ({share} %, 95 %: {low} to {high} %)"

    @property
    def _share(self) -> float:
        return self.successes / self.trials


def percent(share: float) -> str:
    """Return a share in per cent, with enough digits to differ from 0 and 100."""
    digits = 1
    while round(100 * share, digits) in (0, 100) and share not in (0, 1):
        digits += 1
    return f"{100 * share:.{digits}f}"


def _bounds(successes: int, trials: int) -> tuple[float, float]:
    error = 1 - CONFIDENCE
    if not trials:
        return 0.0, 1.0
    if not successes:
        return 0.0, float(1 - error ** (1 / trials))
    if successes == trials:
        return float(error ** (1 / trials)), 1.0
    failures = trials - successes
    low = betaincinv(successes, failures + 1, error / 2)
    high = betaincinv(successes + 1, failures, 1 - error / 2)
    return float(low), float(high)
