"""Measure one trained model, and the model that it was trained from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import InputError
from sage_rag.eval.knowledge.arms import BASE, ENC_S, SYNT, Arm, QuestionSpelling
from sage_rag.eval.knowledge.backends.causal import CausalModel
from sage_rag.eval.knowledge.measurement import ArmResult, measure
from sage_rag.eval.knowledge.questions import Question
from sage_rag.eval.knowledge.report import outcome_table, p_equation, table_3
from sage_rag.eval.knowledge.significance import better_than
from sage_rag.privacy.protocols import EntityCipher

HIDDEN = QuestionSpelling.ENCRYPTED
Questions = Mapping[QuestionSpelling, Sequence[Question]]


class CheckpointReport(BaseModel):
    """The answers of a model, and those of its base.

    `above_base`: by spelling of the questions, the one-sided p value of the exact paired test that
    the model answers more of them correctly than the base, which is asked in plain words if it can.
    """

    model_config = ConfigDict(frozen=True)
    checkpoint: str
    answers: tuple[ArmResult, ...]
    above_base: Mapping[QuestionSpelling, float]

    def __str__(self) -> str:
        """Return the tables, and a line for each comparison with the base."""
        lines = [
            f"{spelling} questions against the base: {p_equation(p)} (exact, paired, one-sided)"
            for spelling, p in self.above_base.items()
        ]
        kinds = [(found.arm, found.outcomes) for found in self.answers if found.outcomes]
        tables = [table_3(self.answers), *([outcome_table(kinds)] if kinds else [])]
        return "\n\n".join([*tables, *lines])


def measure_checkpoint(
    checkpoint: Path,
    questions: Questions,
    *,
    base: Path | None = None,
    arm: Arm | None = None,
    samples: int = 1,
    cipher: EntityCipher | None = None,
) -> CheckpointReport:
    """Ask a model, and its base, in every spelling that is given.

    `arm`: the row of the table; default: `encS` where questions are encrypted, else `synt`.
    `cipher`: opens the ciphertexts in generated answers to encrypted questions, which are then
    counted by outcome.

    Raises:
        InputError: when a folder holds no model, the two files ask different questions, or one is
            too long for the model.
    """
    row = arm or (ENC_S if QuestionSpelling.ENCRYPTED in questions else SYNT)
    if len({tuple((q.attribute, q.right) for q in asked) for asked in questions.values()}) > 1:
        raise InputError("the plain and the encrypted questions are not the same")
    reference = None
    answers = []
    if base is not None:
        spelling = next(iter(questions))
        model = CausalModel.open(base)
        reference = measure(BASE.name, spelling, model, questions[spelling], samples=samples)
        answers.append(reference)
    model = CausalModel.open(checkpoint)
    own = [
        measure(row.name, s, model, asked, samples=samples, cipher=cipher if s is HIDDEN else None)
        for s, asked in questions.items()
    ]
    above = {
        found.spelling: better_than(found.likelihood.right, reference.likelihood.right)
        for found in own
        if reference is not None
    }
    return CheckpointReport(checkpoint=checkpoint.name, answers=(*answers, *own), above_base=above)
