"""Batches and learning rates of a reader's training."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReaderSchedule:
    """`batch_pieces`: word pieces per step, with padding; `rate`: the highest learning rate."""

    batch_pieces: int
    rate: float
    weight_decay: float = 0.01


LOW_RANK = ReaderSchedule(batch_pieces=2048, rate=1e-3)
"""For low-rank changes of MiniLM."""
WHOLE_MODEL = ReaderSchedule(batch_pieces=16384, rate=4e-5)
"""For all weights of a larger model."""
