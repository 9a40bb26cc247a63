"""Logits of labelled cases, and the probabilities that fit them.

Source: Platt (1999), with his smoothed targets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize


@dataclass(frozen=True, slots=True)
class LabelledLogits:
    """Logits (n,), and whether each one's case is positive (n,)."""

    logits: NDArray[np.float64]
    positive: NDArray[np.bool_]

    @property
    def area(self) -> float:
        """The area under the curve: how often a positive case has the higher logit."""
        answered, others = self.logits[self.positive][:, None], self.logits[~self.positive][None]
        return float(np.mean((answered > others) + (answered == others) / 2))

    def refused(self, lost: float) -> float:
        """Return the share of negative cases below the threshold that loses a share of the
        positive ones."""
        threshold = np.quantile(self.logits[self.positive], lost)
        return float(np.mean(self.logits[~self.positive] < threshold))


def platt(cases: LabelledLogits, **minimizer: Any) -> tuple[float, float]:
    """Return slope and shift of the logits that fit the outcomes best; options for `minimize`.

    The taggers use different minimizers, because their shipped weights depend on the digits.
    """
    positive, negative = cases.positive.sum(), (~cases.positive).sum()
    target = np.where(cases.positive, (positive + 1) / (positive + 2), 1 / (negative + 2))

    def loss(parameters: NDArray[np.float64]) -> float:
        x = parameters[0] * cases.logits + parameters[1]
        return float(np.mean(np.logaddexp(0, x) - target * x))

    slope, shift = minimize(loss, np.array([1.0, 0.0]), **minimizer).x
    return float(slope), float(shift)
