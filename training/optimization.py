"""The training loop that both taggers share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LRScheduler

Progress = Callable[[int, int, float], None]
"""Receives the step, the number of steps and the recent loss."""
Batch = TypeVar("Batch")


def optimize(
    parameters: Sequence[nn.Parameter],
    batches: Sequence[Batch],
    loss_of: Callable[[Batch], Tensor],
    rates: LRScheduler,
    progress: Progress,
    *,
    after_step: Callable[[int], None] = lambda step: None,
) -> None:
    """Take one optimizer step per batch, with gradients clipped to a norm of 1."""
    recent = 0.0
    for step, batch in enumerate(batches, 1):
        loss = loss_of(batch)
        rates.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        rates.optimizer.step()
        rates.step()
        after_step(step)
        recent = loss.item() if step == 1 else 0.98 * recent + 0.02 * loss.item()
        progress(step, len(batches), recent)
