"""Two models compared on the same held-out texts, and the tokens that a first stage saves."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict

from sage_rag.eval.mean import t_margin
from sage_rag.eval.studies.crypto_llm.results import ArmResult

_RESAMPLES = 4000


class Difference(BaseModel):
    """Bits per character of one model minus those of another: negative is better.

    `low`, `high`: 95 % percentile bootstrap over rows of held-out tokens, paired, seeded. It covers
    the choice of the held-out texts, not that of the seed.
    """

    model_config = ConfigDict(frozen=True)
    value: float
    low: float
    high: float

    @property
    def is_better(self) -> bool:
        """Whether the first model is better beyond the interval."""
        return self.high < 0

    @property
    def is_worse(self) -> bool:
        """Whether the first model is worse beyond the interval."""
        return self.low > 0

    def __str__(self) -> str:
        """Return the difference with its interval."""
        return f"{self.value:+.3f} ({self.low:+.3f} to {self.high:+.3f})"


def difference(arm: ArmResult, other: ArmResult) -> Difference:
    """Compare two models of one seed after all steps, on the same rows."""
    apart = np.subtract(arm.last.nats, other.last.nats) / math.log(2)
    per_character = len(apart) / arm.last.characters
    drawn = np.random.default_rng(0).integers(len(apart), size=(_RESAMPLES, len(apart)))
    means = apart[drawn].mean(1) * per_character
    low, high = (float(q) for q in np.quantile(means, (0.025, 0.975)))
    return Difference(value=float(apart.mean() * per_character), low=low, high=high)


def tokens_to_reach(arm: ArmResult, bits_per_character: float) -> float | None:
    """Return the tokens of the second stage after which an arm is as good; `None`: it never is.

    Linear between measurements.
    """
    places = [(arm.targets_at(f.step), f.bits_per_character) for f in arm.held_out]
    before: tuple[float, float] | None = None
    for tokens, bits in places:
        if bits <= bits_per_character:
            if before is None or before[1] == bits:
                return tokens
            share = (before[1] - bits_per_character) / (before[1] - bits)
            return before[0] + share * (tokens - before[0])
        before = (tokens, bits)
    return None


def mean_of_seeds(values: Sequence[float], *, signed: bool = False) -> str:
    """Format the mean of several seeds with its 95 % t interval; one seed has no interval."""
    sign = "+" if signed else ""
    mean = float(np.mean(values))
    if len(values) == 1:
        return f"{mean:{sign}.3f}"
    half = t_margin(values)
    return f"{mean:{sign}.3f} ({mean - half:{sign}.3f} to {mean + half:{sign}.3f})"
