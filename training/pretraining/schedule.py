"""The learning rate of each step: a pure function, so that a checkpoint holds no schedule."""

from __future__ import annotations

import math


def rate_at(
    step: int, steps: int, *, highest: float, warm_up: float = 0.1, final_rate: float = 0.0
) -> float:
    """Return the learning rate of a step, counted from 0.

    It rises linearly over the first `warm_up` share of the steps and falls along half a cosine to
    `final_rate` times `highest`. The first step's rate is above 0.

    Source: Loshchilov and Hutter (2017), arXiv 1608.03983, eq. 5, without restarts.
    """
    rising = math.ceil(warm_up * steps)
    if step < rising:
        return highest * (step + 1) / (rising + 1)
    done = (step - rising) / max(1, steps - rising)
    return highest * (final_rate + (1 - final_rate) * 0.5 * (1 + math.cos(math.pi * done)))
