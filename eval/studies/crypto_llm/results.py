"""The figures of the study, as they are stored in its home and read for its page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import InputError
from sage_rag.eval.studies.crypto_llm.held_out import HeldOutFigures
from sage_rag.eval.studies.crypto_llm.ngrams import NgramFigures
from sage_rag.eval.studies.stored_figures import all_stored, store, stored
from sage_rag.training.pretraining.corpus import read_texts
from sage_rag.training.pretraining.metrics import read_measurements
from sage_rag.training.pretraining.token_shards import TokenShards

RESULT = "result.json"
_POINTS = 60


class StageFigures(BaseModel):
    """One stage of a training.

    `characters`, `corpus_tokens`: of the texts. `targets`: tokens trained on. `curve`: targets so
    far, and the mean loss since the last point, in nats per token. `seconds`: time of the steps.
    """

    model_config = ConfigDict(frozen=True)
    characters: int
    corpus_tokens: int
    steps: int
    targets: int
    seconds: float
    curve: tuple[tuple[int, float], ...]

    @property
    def times_read(self) -> float:
        """How often each token was read."""
        return self.targets / self.corpus_tokens

    @property
    def tokens_per_character(self) -> float:
        """Tokens per character of the texts that the stage reads."""
        return self.corpus_tokens / self.characters

    @classmethod
    def of(cls, run: Path, texts: Path) -> StageFigures:
        """Read the measurements of a complete run.

        Raises:
            InputError: when there are none.
        """
        steps = list(read_measurements(run))
        if not steps:
            raise InputError(f"`{run}` has no measurements")
        ends = [step.tokens for step in steps]
        per_step = np.diff([0, *ends])
        groups = np.array_split(np.arange(len(steps)), min(_POINTS, len(steps)))
        losses = np.array([step.loss for step in steps])
        shards = TokenShards.open(run / "tokens" / "corpus")
        return cls(
            characters=sum(map(len, read_texts([texts]))),
            corpus_tokens=int(shards.documents[-1]),
            steps=steps[-1].step,
            targets=ends[-1],
            seconds=sum(n / step.tokens_per_s for n, step in zip(per_step, steps, strict=True)),
            curve=tuple((ends[group[-1]], float(losses[group].mean())) for group in groups),
        )


class ArmResult(BaseModel):
    """One model: both stages, the tokens of the first one, and the held-out authors."""

    model_config = ConfigDict(frozen=True)
    name: str
    seed: int
    parameters: int
    first: StageFigures | None
    second: StageFigures
    ngrams: tuple[NgramFigures, ...] = ()
    held_out: tuple[HeldOutFigures, ...]

    @property
    def last(self) -> HeldOutFigures:
        """The figures after all steps."""
        return self.held_out[-1]

    def targets_at(self, step: int) -> float:
        """Return the tokens of the second stage after a number of steps."""
        return self.second.targets * step / self.second.steps

    def save(self, folder: Path) -> None:
        """Write the result to the folder of its arm."""
        store(self, folder / RESULT)


def stored_result(folder: Path) -> ArmResult | None:
    """Return the result of an arm; `None` where it has not been measured.

    Raises:
        InputError: for a file that is not a result.
    """
    return stored(ArmResult, folder / RESULT)


def stored_results(home: Path) -> Iterator[ArmResult]:
    """Yield the results of all seeds."""
    return all_stored(ArmResult, home, f"seed-*/*/{RESULT}")
