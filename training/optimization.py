"""The training loop, schedule and batches that taggers and reader share."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LRScheduler

from sage_rag.common.batches import padded_batches

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


def train_changes(
    network: nn.Module,
    batches: Sequence[Batch],
    loss_of: Callable[[Batch], Tensor],
    *,
    rate: float,
    weight_decay: float,
    progress: Progress,
) -> None:
    """Train the parameters of a network that are not frozen, in place.

    `rate`: the highest learning rate; it rises linearly over the first 6 % of the steps and then
    falls linearly to 0.
    """
    parameters = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=weight_decay)
    rates = torch.optim.lr_scheduler.LambdaLR(optimizer, _rise_and_fall(len(batches)))
    network.train()
    optimize(parameters, batches, loss_of, rates, progress)
    network.eval()


def _rise_and_fall(steps: int) -> Callable[[int], float]:
    """Return the learning rate of each step, as a share of the highest one."""
    warm_up = max(1.0, 0.06 * steps)
    return lambda step: min((step + 1) / warm_up, (steps - step) / steps)


def length_batches(lengths: Sequence[int], budget: int, order: random.Random) -> list[list[int]]:
    """Return the numbers of the examples of each step, in random order.

    `lengths`: in word pieces, with marks; `budget`: of a step. Similar lengths need little padding.
    """
    by_length = sorted(range(len(lengths)), key=lambda i: lengths[i] + order.random() * 20)
    batches = list(padded_batches(by_length, lambda i: lengths[i], budget))
    order.shuffle(batches)
    return batches
