"""The figures of the study, as they are stored in its home and read for its page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import InputError
from sage_rag.common.jsonl import rows
from sage_rag.eval.knowledge.arms import QuestionSpelling
from sage_rag.eval.knowledge.measurement import ArmResult
from sage_rag.eval.studies.soe.settings import StudySettings
from sage_rag.eval.studies.stored_figures import all_stored, store, stored
from sage_rag.training.pretraining.metrics import read_measurements

RESULT = "result.json"


class TrainingFigures(BaseModel):
    """What a training run took.

    `texts`: different texts. `tokens`: targets trained on. `loss`: mean of the last tenth of the
    steps, in nats per token. `seconds`: time of the steps.
    """

    model_config = ConfigDict(frozen=True)
    texts: int
    steps: int
    tokens: int
    loss: float
    seconds: float

    @classmethod
    def of(cls, run: Path) -> TrainingFigures:
        """Read the measurements of a complete run.

        Raises:
            InputError: when there are none.
        """
        steps = list(read_measurements(run / "run"))
        if not steps:
            raise InputError(f"`{run}` has no measurements")
        tail = steps[-max(1, len(steps) // 10) :]
        targets = [step.tokens for step in steps]
        per_step = [after - before for before, after in zip([0, *targets], targets, strict=False)]
        return cls(
            texts=sum(1 for _ in rows(run / "texts.jsonl")),
            steps=steps[-1].step,
            tokens=targets[-1],
            loss=sum(step.loss for step in tail) / len(tail),
            seconds=sum(n / step.tokens_per_s for n, step in zip(per_step, steps, strict=True)),
        )


class RunResult(BaseModel):
    """One model: its training and its answers, one entry for each spelling of the questions.

    `details`: what distinguishes the run within its part, such as the length of tuples.
    """

    model_config = ConfigDict(frozen=True)
    part: str
    name: str
    seed: int
    settings: StudySettings
    training: TrainingFigures
    answers: tuple[ArmResult, ...]
    details: Mapping[str, float] = {}

    def asked(self, spelling: QuestionSpelling) -> ArmResult | None:
        """Return the answers to the questions in one spelling."""
        return next((found for found in self.answers if found.spelling is spelling), None)

    def save(self, folder: Path) -> None:
        """Write the result to the folder of its run."""
        store(self, folder / RESULT)


def stored_result(folder: Path) -> RunResult | None:
    """Return the result of a run; `None` where the run has not been measured.

    Raises:
        InputError: for a file that is not a result.
    """
    return stored(RunResult, folder / RESULT)


def stored_results(home: Path) -> Iterator[RunResult]:
    """Yield the results of all seeds, by seed and name."""
    return all_stored(RunResult, home, f"seed-*/*/{RESULT}")


def by_name(results: Sequence[RunResult], part: str) -> dict[str, list[RunResult]]:
    """Return the results of a part by name, each with one entry per seed."""
    found: dict[str, list[RunResult]] = {}
    for result in results:
        if result.part == part:
            found.setdefault(result.name, []).append(result)
    return found
