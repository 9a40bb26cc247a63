"""Turn a logit into a probability. Source: Platt (1999), with his smoothed targets."""

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
