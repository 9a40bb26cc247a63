"""Tables in the paper's layout, with the paper's figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sage_rag.eval.knowledge.arms import MAIN_ARMS, PAPER, Arm, QuestionSpelling, Texts
from sage_rag.eval.knowledge.measurement import Accuracy, ArmResult
from sage_rag.eval.knowledge.outcomes import Outcome, OutcomeCounts
from sage_rag.eval.studies.tables import NO_FIGURE, share, table

_TITLES = (
    "arm", "CPT", "synthesis", "data encrypted", "questions encrypted",
    "accuracy by likelihood (95 %)", "p against guessing", "by generation", "unanswered",
    "paper, Llama3 8B", "paper, Qwen2.5 7B",
)  # fmt: skip
_ARMS = {arm.name: arm for arm in MAIN_ARMS}


def table_3(results: Sequence[ArmResult]) -> str:
    """Return the rows of the paper's Table 3, one for each arm and spelling of the questions.

    The paper's figures are from other data: they show the order of the arms, not a level to reach.
    """
    return table(_TITLES, (_row(result) for result in results))


def _row(result: ArmResult) -> Iterator[object]:
    arm = _ARMS.get(result.arm)
    paper = PAPER.get((result.arm, result.spelling))
    hidden = result.spelling is QuestionSpelling.ENCRYPTED
    plain_of_encrypted = arm is not None and arm.encrypted and not hidden
    yield f"noEncQ ({result.arm})" if plain_of_encrypted else result.arm
    yield from _training(arm)
    yield _flag(hidden)
    yield share(result.likelihood.correct)
    yield p_value(result.likelihood.above_chance)
    yield share(result.generation.correct) if result.generation else NO_FIGURE
    yield result.generation.unanswered if result.generation else NO_FIGURE
    yield NO_FIGURE if paper is None or paper.quality is None else paper.quality
    yield NO_FIGURE if paper is None or paper.judge is None else paper.judge


def _training(arm: Arm | None) -> tuple[str, str, str]:
    if arm is None:
        return NO_FIGURE, NO_FIGURE, NO_FIGURE
    if arm.texts is None:
        return "F", "N/A", "N/A"
    synthetic = _flag(arm.texts is Texts.SYNTHETIC)
    if not arm.encrypted:
        return "T", synthetic, "F"
    return "T", synthetic, "T (PL)" if len(arm.encrypted) < len(_ARMS["encS"].encrypted) else "T"


def _flag(value: bool) -> str:
    return "T" if value else "F"


def p_value(p: float) -> str:
    """Format a p value."""
    return "< 1e-6" if p < 1e-6 else f"{p:.2g}"


def p_equation(p: float) -> str:
    """Format a p value as an equation, such as `p = 0.34`."""
    written = p_value(p)
    return f"p {written}" if written.startswith("<") else f"p = {written}"


def outcome_table(results: Sequence[tuple[str, OutcomeCounts]]) -> str:
    """Return the ciphertexts in generated answers, in the layout of the paper's Tables 5 and 6."""
    titles = ("arm", "ciphertexts", *Outcome, "failed", "failed, of distinct ones")
    return table(
        titles,
        (
            (
                name,
                sum(counts.occurrences.values()),
                *(counts.occurrences[outcome] for outcome in Outcome),
                share(counts.failed),
                share(counts.failed_distinct),
            )
            for name, counts in results
        ),
    )


def attribute_table(results: Sequence[tuple[str, Accuracy]]) -> str:
    """Return the accuracy by attribute, by likelihood."""
    attributes = list(results[0][1].by_attribute)
    return table(
        ("arm", *(attribute.replace("_", " ") for attribute in attributes)),
        ((name, *(share(found.by_attribute[a]) for a in attributes)) for name, found in results),
    )
