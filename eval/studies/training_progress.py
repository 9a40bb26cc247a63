"""Progress of a training in a study, on standard error."""

from __future__ import annotations

from collections.abc import Callable

from sage_rag.eval.studies.runner import report
from sage_rag.training.pretraining.metrics import StepMeasurement

REPORT_EVERY = 50
"""Steps between two lines of progress."""


def training_progress(name: str) -> Callable[[int, int, StepMeasurement], None]:
    """Return a function that reports each 50th step of a training, and the last one."""

    def progress(step: int, steps: int, last: StepMeasurement) -> None:
        if step % REPORT_EVERY == 0 or step == steps:
            rate = f"{last.tokens_per_s:.0f} tokens/s"
            report(f"{name}: step {step} of {steps}, loss {last.loss:.3f}, {rate}")

    return progress
