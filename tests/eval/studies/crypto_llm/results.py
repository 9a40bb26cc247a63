"""Invented results of arms."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sage_rag.eval.studies.crypto_llm.held_out import HeldOutFigures
from sage_rag.eval.studies.crypto_llm.results import ArmResult, StageFigures

STAGE = StageFigures(
    characters=8000,
    corpus_tokens=2000,
    steps=10,
    targets=2000,
    seconds=4.0,
    curve=((1000, 3.0), (2000, 2.0)),
)
ROWS = 40


def figures(step: int, bits: float, wave: float = 0.0) -> HeldOutFigures:
    """Return figures with `bits` per character; rows differ by `wave`."""
    nats = [100 * math.log(2) * (bits + wave * math.sin(row)) for row in range(ROWS)]
    mean = 100 * math.log(2) * bits
    shift = mean - sum(nats) / ROWS
    return HeldOutFigures(step=step, nats=tuple(n + shift for n in nats), characters=100 * ROWS)


def arm_result(
    name: str, bits: Sequence[float] = (3.0, 2.5), *, seed: int = 0, first: bool = True
) -> ArmResult:
    curve = tuple(figures(5 * (i + 1), b, wave=0.1) for i, b in enumerate(bits))
    return ArmResult(
        name=name,
        seed=seed,
        parameters=1000,
        first=STAGE if first else None,
        second=STAGE,
        held_out=curve,
    )
