"""The tables of part `ciphers`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from sage_rag.eval.knowledge.measurement import Accuracy
from sage_rag.eval.knowledge.report import p_equation
from sage_rag.eval.knowledge.significance import better_than, differ
from sage_rag.eval.studies.soe.ciphers_part import (
    BASE_NAME,
    PART,
    TEXTS_PER_FACT,
    TOKENS_PER_VALUE,
    cipher_of,
)
from sage_rag.eval.studies.soe.results import RunResult
from sage_rag.eval.studies.tables import NO_FIGURE, share, table

_TITLES = (
    "cipher", "texts per fact", "seed", "tokens per value", "tokens read", "loss per token",
    "loss per text", "accuracy by likelihood (95 %)", "base, same questions", "p against the base",
    "by generation", "ciphertexts that fail",
)  # fmt: skip
_ABOUT = """\
## Ciphers

Every text states one fact in one sentence, so that name and value are in one row. All models
continue one base, which has read as many texts under each cipher about other persons, with other
keys. `codebook-words`: each word of a pseudonym is one new token of the vocabulary, with the mean
embedding of the tokens that it replaces; its base is that of `codebook`.

The codebook has an advantage that this part does not separate: the base of part `main`, which the
base of this part continues, had read codebook texts about other persons (`schooled_encrypted`), and
the tokenizer was trained on them. ECB and SIV were new to both alike, so their comparison is fair.

Models with the same texts per fact read the same facts equally often; tokens are counted over all
epochs, so a cipher with longer tokens also takes more steps. A loss per token is lower where more
tokens of a ciphertext follow from those before; loss per text is the loss per token, times the
tokens of a text. p: one-sided exact test over the paired answers. Ciphertexts in generated answers
fail when they are of another person or do not open."""
_PAIRS = """\
### One cipher against another

Correct answers of the one and of the other to the same questions, and the two-sided p value of the
exact paired test."""


def blocks(results: Sequence[RunResult]) -> Iterator[str]:
    """Yield the tables of the part, where it has been run."""
    runs = [run for run in results if run.part == PART]
    trained = sorted((run for run in runs if run.name != BASE_NAME), key=_order)
    if not trained:
        return
    bases = {
        (run.seed, found.arm): found.likelihood
        for run in runs
        if run.name == BASE_NAME
        for found in run.answers
    }
    yield f"{_ABOUT}\n\n{table(_TITLES, (_row(run, bases) for run in trained))}"
    pairs = [
        (one, other)
        for one, other in combinations(trained, 2)
        if _order(one)[:2] == _order(other)[:2]
    ]
    if pairs:
        titles = ("texts per fact", "seed", "one", "other", "correct", "p")
        yield f"{_PAIRS}\n\n{table(titles, (_pair(*pair) for pair in pairs))}"


def _order(run: RunResult) -> tuple[float, int, str]:
    return run.details[TEXTS_PER_FACT], run.seed, run.name


def _arm(run: RunResult) -> str:
    return run.name.rpartition("-")[0]


def _row(run: RunResult, bases: Mapping[tuple[int, str], Accuracy]) -> Iterator[object]:
    answer, training = run.answers[0], run.training
    base = bases.get((run.seed, cipher_of(_arm(run))))
    yield _arm(run)
    yield int(run.details[TEXTS_PER_FACT])
    yield run.seed
    yield f"{run.details[TOKENS_PER_VALUE]:.1f}"
    yield f"{training.tokens:,}"
    yield f"{training.loss:.3f}"
    yield f"{training.loss * training.tokens / (training.texts * run.settings.epochs):.1f}"
    yield share(answer.likelihood.correct)
    yield share(base.correct) if base else NO_FIGURE
    yield p_equation(better_than(answer.likelihood.right, base.right)) if base else NO_FIGURE
    yield share(answer.generation.correct) if answer.generation else NO_FIGURE
    yield share(answer.outcomes.failed) if answer.outcomes else NO_FIGURE


def _pair(one: RunResult, other: RunResult) -> Iterator[object]:
    own, others = (run.answers[0].likelihood for run in (one, other))
    yield int(one.details[TEXTS_PER_FACT])
    yield one.seed
    yield from (_arm(one), _arm(other))
    yield f"{own.correct.successes}, {others.correct.successes} of {own.correct.trials}"
    yield p_equation(differ(own.right, others.right))
