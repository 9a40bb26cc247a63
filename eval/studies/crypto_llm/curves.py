"""The study's plots: the loss of the first stage, and the held-out authors in the second."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sage_rag.eval.studies.crypto_llm.results import ArmResult
from sage_rag.eval.studies.plot import Point, scatter

_MILLION = 1e6
FIRST_STAGE, HELD_OUT = "first_stage", "held_out"


def curve_plots(results: Sequence[ArmResult]) -> dict[str, str]:
    """Return the drawings by name, of the first seed that has results."""
    seed = min(result.seed for result in results)
    runs = [result for result in results if result.seed == seed]
    first = {run.name: _first_stage(run) for run in runs if run.first is not None}
    held_out = {run.name: _held_out(run) for run in runs}
    tokens = "tokens read, millions"
    drawings = {HELD_OUT: scatter(held_out, tokens, "bits per character, held-out authors")}
    if first:
        drawings[FIRST_STAGE] = scatter(first, tokens, "training loss, bits per token")
    return drawings


def _first_stage(run: ArmResult) -> list[Point]:
    curve = run.first.curve if run.first else ()
    return [Point(tokens / _MILLION, loss / math.log(2)) for tokens, loss in curve]


def _held_out(run: ArmResult) -> list[Point]:
    return [
        Point(run.targets_at(found.step) / _MILLION, found.bits_per_character)
        for found in run.held_out
    ]
