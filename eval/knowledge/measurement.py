"""Measure one model on one set of questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from sage_rag.common.proportions import Proportion
from sage_rag.eval.knowledge.answering import Answers, LanguageModel, by_generation, by_likelihood
from sage_rag.eval.knowledge.arms import QuestionSpelling
from sage_rag.eval.knowledge.outcomes import OutcomeCounts, outcomes_of
from sage_rag.eval.knowledge.persons import Attribute
from sage_rag.eval.knowledge.questions import Question
from sage_rag.eval.knowledge.significance import at_least
from sage_rag.privacy.protocols import EntityCipher


class Accuracy(BaseModel):
    """Correct answers, by attribute too, with the p value of an exact test against guessing.

    `right`: for each question whether it is answered correctly, for paired tests.
    `unanswered`: questions without an answer; they count as wrong.
    """

    model_config = ConfigDict(frozen=True)
    correct: Proportion
    above_chance: float
    unanswered: int
    by_attribute: Mapping[Attribute, Proportion]
    right: tuple[bool, ...]

    @classmethod
    def of(cls, answers: Answers, questions: Sequence[Question]) -> Accuracy:
        """Compare answers with the correct options."""
        right = answers.right(questions)
        groups: dict[Attribute, list[bool]] = {}
        for question, found in zip(questions, right, strict=True):
            groups.setdefault(question.attribute, []).append(found)
        chance = 1 / len(questions[0].options)
        return cls(
            correct=Proportion.of(sum(right), len(right)),
            above_chance=at_least(sum(right), len(right), chance),
            unanswered=sum(choice is None for choice in answers.chosen),
            by_attribute={a: Proportion.of(sum(g), len(g)) for a, g in groups.items()},
            right=tuple(right),
        )

    @property
    def share(self) -> float:
        """The share of correct answers."""
        return self.correct.successes / self.correct.trials


class ArmResult(BaseModel):
    """What one model answers to the questions in one spelling."""

    model_config = ConfigDict(frozen=True)
    arm: str
    spelling: QuestionSpelling
    likelihood: Accuracy
    generation: Accuracy | None = None
    outcomes: OutcomeCounts | None = None


def measure(
    arm: str,
    spelling: QuestionSpelling,
    model: LanguageModel,
    questions: Sequence[Question],
    *,
    samples: int = 3,
    cipher: EntityCipher | None = None,
) -> ArmResult:
    """Ask a model by likelihood and, unless `samples` is 0, by generation.

    `cipher`: opens the ciphertexts in generated answers, which are then counted by outcome.
    """
    likelihood = Accuracy.of(by_likelihood(model, questions), questions)
    if not samples:
        return ArmResult(arm=arm, spelling=spelling, likelihood=likelihood)
    written = by_generation(model, questions, samples=samples)
    return ArmResult(
        arm=arm,
        spelling=spelling,
        likelihood=likelihood,
        generation=Accuracy.of(written, questions),
        outcomes=outcomes_of(questions, written, cipher) if cipher else None,
    )
