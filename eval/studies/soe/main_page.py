"""The tables of part `main`: all seeds together, then each one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sage_rag.eval.knowledge.arms import MAIN_ARMS, QuestionSpelling
from sage_rag.eval.knowledge.measurement import Accuracy
from sage_rag.eval.knowledge.report import attribute_table, outcome_table, p_equation, table_3
from sage_rag.eval.knowledge.significance import better_than
from sage_rag.eval.studies.soe import main_part
from sage_rag.eval.studies.soe.results import RunResult
from sage_rag.eval.studies.tables import NO_FIGURE, share, table

_PLAIN, _HIDDEN = QuestionSpelling.PLAIN, QuestionSpelling.ENCRYPTED
_COMPARISONS = (
    (("encS", _HIDDEN), ("base", _PLAIN), "greater: the encrypted facts are learned"),
    (("encS", _HIDDEN), ("base", _HIDDEN), "greater: not by the form of the questions"),
    (("encS", _PLAIN), ("base", _PLAIN), "not greater: plain values are not learned"),
    (("encS-PL", _HIDDEN), ("base", _PLAIN), "greater"),
    (("encS-PL", _PLAIN), ("base", _PLAIN), "not greater"),
    (("synt", _PLAIN), ("orig", _PLAIN), "greater: rewording helps at equal tokens"),
    (("encS", _HIDDEN), ("encO", _HIDDEN), "greater: the same under encryption"),
    (("synt", _PLAIN), ("encS", _HIDDEN), "greater, by a little"),
)
"""Arm and spelling, compared with arm and spelling, and what the paper finds or expects."""

Known = Mapping[tuple[str, QuestionSpelling], Accuracy]
"""The accuracy by likelihood of each arm and spelling of one seed."""


def blocks(results: Sequence[RunResult]) -> Iterator[str]:
    """Yield the comparisons over all seeds, and the tables of each one."""
    by_seed: dict[int, list[RunResult]] = {}
    for result in results:
        if result.part == main_part.PART:
            by_seed.setdefault(result.seed, []).append(result)
    if by_seed:
        yield _comparisons({seed: _known(runs) for seed, runs in by_seed.items()})
    order = [arm.name for arm in MAIN_ARMS]
    for seed, runs in by_seed.items():
        yield from _seed(sorted(runs, key=lambda run: order.index(run.name)), seed)


def _known(runs: Sequence[RunResult]) -> Known:
    return {(found.arm, found.spelling): found.likelihood for run in runs for found in run.answers}


def _comparisons(seeds: Mapping[int, Known]) -> str:
    titles = ("arm, questions", "compared with", *(f"seed {seed}" for seed in seeds), "expected")
    rows = [
        (", ".join(one), ", ".join(other), *(_compared(k, one, other) for k in seeds.values()), why)
        for one, other, why in _COMPARISONS
    ]
    return (
        "## Comparisons\n\nAccuracy by likelihood of the one and of the other, and the one-sided p "
        "value of an exact test over the paired answers (McNemar).\n\n" + table(titles, rows)
    )


def _compared(
    known: Known, one: tuple[str, QuestionSpelling], other: tuple[str, QuestionSpelling]
) -> str:
    if one not in known or other not in known:
        return NO_FIGURE
    p = better_than(known[one].right, known[other].right)
    return f"{known[one].share:.3f}, {known[other].share:.3f}; {p_equation(p)}"


def _seed(runs: Sequence[RunResult], seed: int) -> Iterator[str]:
    answers = [found for run in runs for found in run.answers]
    schooled = [found for found in answers if found.arm == main_part.SCHOOLED]
    shown = [found for found in answers if found.arm != main_part.SCHOOLED]
    yield f"## Accuracy, seed {seed}\n\n{table_3(shown)}"
    for found in schooled:
        yield (
            "The base model answers "
            f"{share(found.likelihood.correct)} about schooled persons whose questions it has not "
            "read: it can answer about what it has read."
        )
    named = [(f"{f.arm}, {f.spelling} questions", f.likelihood) for f in shown]
    yield "### By attribute\n\n" + attribute_table(named)
    counted = [(f.arm, f.outcomes) for f in shown if f.outcomes is not None]
    if counted:
        yield (
            "### Ciphertexts in generated answers\n\n"
            "FCAOA: a valid ciphertext of another person. FCND: one that does not open. In the "
            "paper 2.9 % (PL) and 3.9 % (ALL) of occurrences fail, and 16 % and 17 % of distinct "
            "ones.\n\n" + outcome_table(counted)
        )
    yield "### Training\n\n" + training_table(runs)


def training_table(runs: Sequence[RunResult]) -> str:
    """Return what the training of each run took."""
    titles = ("arm", "texts", "steps", "tokens", "loss at the end", "minutes", "tokens per second")
    return table(
        titles,
        (
            (
                run.name,
                f"{run.training.texts:,}",
                f"{run.training.steps:,}",
                f"{run.training.tokens:,}",
                f"{run.training.loss:.3f}",
                f"{run.training.seconds / 60:.1f}",
                f"{run.training.tokens / run.training.seconds:,.0f}",
            )
            for run in runs
        ),
    )
