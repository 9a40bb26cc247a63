"""The page of the study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from sage_rag.eval.knowledge.arms import MAIN_ARMS, QuestionSpelling
from sage_rag.eval.knowledge.measurement import ArmResult
from sage_rag.eval.knowledge.report import attribute_table, outcome_table, p_value, table_3
from sage_rag.eval.knowledge.significance import better_than
from sage_rag.eval.studies.soe import (
    ciphers_part,
    leakage_part,
    main_part,
    retrieval_page,
    tuples_part,
)
from sage_rag.eval.studies.soe.leakage_part import LeakageFigures
from sage_rag.eval.studies.soe.results import RunResult, by_name
from sage_rag.eval.studies.soe.retrieval_part import RetrievalFigures
from sage_rag.eval.studies.soe.settings import StudySettings
from sage_rag.eval.studies.tables import share, table

TITLE = "SoE: what a small model learns from encrypted texts"
ABOUT = """\
Liu et al. (2025), SoE, continue the pretraining of a model on texts in which names and values are
encrypted, and ask it encrypted questions. This study repeats the comparison at a size that two
cores train: the persons are invented, so no model knows them beforehand, and every question has
four options of one kind, so guessing gives 25 %. Wrong options are values of other tested persons.

The base model is schooled on other invented persons, plain and under another key, with questions in
the same forms: a model of this size cannot answer otherwise. Each arm continues from it on the
texts of the corpus: `orig` and `encO` read one text per person again and again, `synt` and `encS`
read differently worded texts from the study's generator, at equal numbers of steps (`orig` as
`synt`, `encO` as `encS`). All arms read the question-answer pairs of the other half of the corpus's
persons, and are asked about the half whose questions no arm has read. `PL`: names and places alone
are encrypted. `noEncQ`: an encrypted arm is asked in plain words.

Two choices decide whether anything is seen at this size. Wrong options are values of tested persons
alone: among the values of all persons, a model prefers those that it has read as answers, and falls
below 25 %. The base model reads codebook tokens under another key, as a large model has read
identifiers: in a trial from a base without them, with each token as one new word of the vocabulary,
the encrypted arm was still guessing after a third of its tokens, and the trial was stopped. Values
repeat among persons, so questions are not fully independent: a model that knows nothing can differ
from 25 % by more than the test against guessing allows. The paired comparison with the base is the
test that counts."""

_PLAIN, _HIDDEN = QuestionSpelling.PLAIN, QuestionSpelling.ENCRYPTED
_COMPARISONS = (
    ("encS", _HIDDEN, "base", _PLAIN, "greater: the encrypted facts are learned"),
    ("encS", _HIDDEN, "base", _HIDDEN, "greater: not by the form of the questions"),
    ("encS", _PLAIN, "base", _PLAIN, "not greater: plain values are not learned"),
    ("encS-PL", _HIDDEN, "base", _PLAIN, "greater"),
    ("encS-PL", _PLAIN, "base", _PLAIN, "not greater"),
    ("synt", _PLAIN, "orig", _PLAIN, "greater: rewording helps at equal tokens"),
    ("encS", _HIDDEN, "encO", _HIDDEN, "greater: the same under encryption"),
    ("synt", _PLAIN, "encS", _HIDDEN, "greater, by a little"),
)
"""Arm and spelling, compared with arm and spelling, and what the paper finds or expects."""


def blocks(
    results: Sequence[RunResult],
    leakage: Sequence[LeakageFigures],
    retrieval: Sequence[RetrievalFigures],
    settings: StudySettings,
) -> Iterator[str]:
    """Yield the blocks of the page, and which parts have not been run."""
    main = by_name(results, main_part.PART)
    yield _setting(settings)
    for seed in sorted({result.seed for result in results}):
        yield from _seed(main, seed)
    yield from ciphers_part.blocks(results)
    yield from tuples_part.blocks(results)
    yield from retrieval_page.blocks(retrieval)
    yield from leakage_part.blocks(leakage)
    parts = {"leakage": bool(leakage), "retrieval": bool(retrieval)}
    yield from _missing(results, settings, [part for part, ran in parts.items() if not ran])


def _setting(settings: StudySettings) -> str:
    shown = settings.model_dump()
    return "## Setting\n\n" + table(("setting", "value"), shown.items())


def _seed(main: dict[str, list[RunResult]], seed: int) -> Iterator[str]:
    runs = {
        arm.name: result
        for arm in MAIN_ARMS
        for result in main.get(arm.name, [])
        if result.seed == seed
    }
    if not runs:
        return
    answers = [found for run in runs.values() for found in run.answers]
    schooled = [found for found in answers if found.arm == main_part.SCHOOLED]
    shown = [found for found in answers if found.arm != main_part.SCHOOLED]
    yield f"## Accuracy, seed {seed}\n\n{table_3(shown)}"
    for found in schooled:
        yield (
            "The base model answers "
            f"{share(found.likelihood.correct)} about schooled persons whose questions it has not "
            "read: it can answer about what it has read."
        )
    yield from _comparisons(shown)
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
    yield "### Training\n\n" + training_table(list(runs.values()))


def _comparisons(shown: Sequence[ArmResult]) -> Iterator[str]:
    known = {(found.arm, found.spelling): found.likelihood for found in shown}
    rows = [
        (
            f"{arm}, {spelling}",
            f"{other}, {other_spelling}",
            f"{known[arm, spelling].share:.3f}",
            f"{known[other, other_spelling].share:.3f}",
            p_value(better_than(known[arm, spelling].right, known[other, other_spelling].right)),
            expected,
        )
        for arm, spelling, other, other_spelling, expected in _COMPARISONS
        if (arm, spelling) in known and (other, other_spelling) in known
    ]
    titles = ("arm, questions", "compared with", "accuracy", "of the other", "p (exact, paired)")
    if rows:
        yield "### Comparisons\n\n" + table((*titles, "expected"), rows)


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


def _missing(
    results: Sequence[RunResult], settings: StudySettings, parts: Sequence[str]
) -> Iterator[str]:
    ran = {(result.part, result.name) for result in results}
    wanted = {
        main_part.PART: settings.arms,
        ciphers_part.PART: ciphers_part.names(settings),
        tuples_part.PART: tuples_part.NAMES,
    }
    missing = [
        f"* Part `{part}`: {', '.join(f'`{n}`' for n in names if (part, n) not in ran)}"
        for part, names in wanted.items()
        if any((part, name) not in ran for name in names)
    ]
    main = Counter(result.seed for result in results if result.part == main_part.PART)
    whole = sum(count == len(wanted[main_part.PART]) for count in main.values())
    if whole < _SEEDS_WANTED:
        missing.append(f"* All main arms: {whole} of {_SEEDS_WANTED} seeds.")
    missing += [f"* Part `{part}`." for part in parts]
    if missing:
        yield "## What has not been run\n\n" + "\n".join(missing)


_SEEDS_WANTED = 3
