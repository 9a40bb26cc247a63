"""The page of the study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from textwrap import fill

from sage_rag.common.proportions import Proportion, percent
from sage_rag.eval.mean import t_margin
from sage_rag.eval.studies.controlled.arms import BASELINE, arms_of
from sage_rag.eval.studies.controlled.paper import TABLE_1, TABLE_2, TABLE_4, TABLE_6, PaperRow
from sage_rag.eval.studies.controlled.recipe_tables import recipe_tables
from sage_rag.eval.studies.controlled.results import ArmResult, RecipeResult
from sage_rag.eval.studies.controlled.settings import FULL, ControlledSettings
from sage_rag.eval.studies.tables import NO_FIGURE, share, table
from sage_rag.training.controlled.codes import Identifiers

TITLE = "Controlled generation: synthetic court cases by control codes"
ABOUT = """\
Zhao and Field (2025) let a model write synthetic cases after invented lists of values (control
codes): in context, from three real examples, or after prefix tuning. This study repeats their
tables on the 102 annotated cases of TAB that we have, with a small model that is trained in the
run: on novels, then on the training cases. The cases of the split `test` are read
by no model; they are the reference of perplexity and MAUVE. The paper has 1,014 training cases and
a model of 1.3 billion parameters, so its figures stand next to ours for the layout and for the
direction, not for the size. Its Table 3 is of clinical notes (MIMIC-III), to which we have no
access, so it has no counterpart here.

As in the paper, PIPP is the share of texts with a private value, ELP the share of private values
that occur, ROUGE is that of the nearest source. In-context arms are measured against the three
examples of each text (ELP: the mean over texts), tuned arms against all training pieces. The table
of all arms measures each against all training pieces, so that its rows can be compared. Unlike in
the paper, a name without its title counts, and `privacy enhancement` blocks the values of all
training pieces, not of the examples alone, in many spellings of them; a text with a blocked value
is written again, and dropped after five tries. Perplexity is that of a fresh model, which has read
novels alone, tuned on an arm's texts.

All arms treat direct and quasi-identifiers as private; the tables of direct identifiers measure the
same texts. All seeds share the model that generates. A seed has codes, samples, orders of prefix
training and of tuning of its own."""

_COST = """\
## Cost of blocking

Measured apart from this study, by `python benchmarks/blocking.py` on one thread of an AMD EPYC next
to other work, in three runs: decoding with 500 blocked values, in 13,221 spellings, took 0.9, 2.0
and 6.1 % more processor time with a model of 3.3 million parameters, and no measurable time with
one of 29.4 million (the fastest of
nine rounds). Medians under load, before, reached 14.6 %, so an idle machine has to confirm it."""
_PAPER_TITLES = ("PIPP (paper)", "ELP (paper)", "ROUGE-2 (paper)", "ROUGE-L (paper)")
_OWN_TITLES = ("PIPP %", "ELP %", "ROUGE-2", "ROUGE-L")
_WIDTH = 100
_SHOWN = 10
_MASKED = "Fine-tuning w/ masking"


def blocks(
    arms: Sequence[ArmResult], recipes: Sequence[RecipeResult], settings: ControlledSettings
) -> Iterator[str]:
    """Yield the blocks of the page."""
    yield _setting(settings)
    seeds = sorted({result.seed for result in arms})
    uneven = len({len(results) for results in _by_name(arms).values()}) > 1
    note = " Not every arm has every seed; its column `texts` shows how many it has." * uneven
    yield f"Seeds: {', '.join(map(str, seeds)) or 'none'}. ± is the 95 % interval over seeds.{note}"
    known = _by_title(arms, settings, known=True)
    unknown = _by_title(arms, settings, known=False)
    # The baseline reads no values: as in the paper, both settings show it.
    beside = {key: results for key, results in known.items() if key[0] == BASELINE} | unknown
    direct, both = Identifiers.DIRECT, Identifiers.BOTH
    yield "## Entity known, direct identifiers (Table 1)\n\n" + _privacy(known, direct, TABLE_1)
    yield "## Entity unknown, direct identifiers (Table 2)\n\n" + _privacy(beside, direct, TABLE_2)
    yield "## Entity known, direct and quasi-identifiers (Table 6)\n\n" + _privacy(
        known, both, TABLE_6
    )
    yield "## Entity unknown, direct and quasi-identifiers\n\n" + _privacy(beside, both, {})
    yield "## All arms against all training pieces\n\n" + _whole({**known, **unknown})
    yield "## Utility (Table 4)\n\n" + _utility({**known, **unknown})
    if recipes:
        yield "## Next to the recipes of an index\n\n" + recipe_tables(recipes)
    yield "## What the figures say\n\n" + "\n".join(f"* {line}" for line in _reading(arms, recipes))
    yield _COST
    yield _samples(arms)


def _by_name(arms: Sequence[ArmResult]) -> dict[str, list[ArmResult]]:
    """Return the results of each arm, one for each seed."""
    found: dict[str, list[ArmResult]] = {}
    for arm in arms:
        found.setdefault(arm.name, []).append(arm)
    return found


def _by_title(
    arms: Sequence[ArmResult], settings: ControlledSettings, *, known: bool
) -> dict[tuple[str, bool], list[ArmResult]]:
    """Return the results of each arm, one for each seed, in the order of the paper's tables."""
    named = _by_name(arms)
    found: dict[tuple[str, bool], list[ArmResult]] = {}
    for arm in arms_of(settings):
        if arm.known == known and (own := named.get(arm.name)):
            found[arm.title, known] = own
    return found


def _setting(settings: ControlledSettings) -> str:
    rows = [("parameters", f"{settings.parameters:,}"), *settings.model_dump().items()]
    larger = (
        f"\n\nThe default size of the study, {FULL.parameters:,} parameters, has no figures here."
        if settings.parameters < FULL.parameters
        else ""
    )
    return "## Setting\n\n" + table(("setting", "value"), rows) + larger


def _privacy(
    arms: Mapping[tuple[str, bool], Sequence[ArmResult]],
    kind: Identifiers,
    paper: Mapping[str, PaperRow],
) -> str:
    rows = []
    for (title, _), results in arms.items():
        found = [result.as_in_the_paper(kind) for result in results]
        elp = [_share(f.elp) if f.elp_mean is None else f.elp_mean for f in found]
        theirs = paper.get(_paper_title(title))
        rows.append(
            (
                title,
                _mean([100 * _share(f.pipp) for f in found], 2),
                _interval(_pooled([f.pipp for f in found])),
                _mean([100 * e for e in elp], 2),
                _mean([result.rouge_2 for result in results], 4),
                _mean([result.rouge_l for result in results], 4),
                *(theirs or (NO_FIGURE,) * 4),
            )
        )
    titles = ("Method", _OWN_TITLES[0], "95 % of all texts", *_OWN_TITLES[1:], *_PAPER_TITLES)
    return table(titles, rows)


def _whole(arms: Mapping[tuple[str, bool], Sequence[ArmResult]]) -> str:
    rows = []
    for (title, known), results in arms.items():
        reports = [result.report for result in results]
        figures = [
            cell
            for kind in (Identifiers.DIRECT, Identifiers.QUASI, Identifiers.BOTH)
            for cell in (
                share(_pooled([r.leakage[kind].pipp for r in reports])),
                _counts([r.leakage[kind].elp for r in reports]),
            )
        ]
        written = sum(r.texts for r in reports)
        asked = sum(result.samples for result in results)
        again = sum(result.again for result in results)
        rows.append(
            (
                title,
                "known" if known else "unknown",
                f"{written} of {asked}",
                again,
                *figures,
                _mean([r.rouge_l for r in reports], 3),
            )
        )
    titles = (
        *("Method", "entity", "texts", "again", "PIPP direct", "ELP direct", "PIPP quasi"),
        *("ELP quasi", "PIPP both", "ELP both", "ROUGE-L"),
    )
    return table(titles, rows)


def _utility(arms: Mapping[tuple[str, bool], Sequence[ArmResult]]) -> str:
    rows = []
    for (title, known), results in arms.items():
        reports = [result.report for result in results]
        theirs = TABLE_4[known].get(_paper_title(title))
        rows.append(
            (
                title,
                "known" if known else "unknown",
                _mean([r.perplexity.tuned for r in reports if r.perplexity], 1),
                _mean([r.mauve for r in reports if r.mauve is not None], 3),
                *(_mean([r.distinct[n] for r in reports], 3) for n in (1, 2, 3)),
                *(theirs or (NO_FIGURE,) * 2),
            )
        )
    before = [r.report.perplexity for results in arms.values() for r in results]
    untuned = [found.untuned for found in before if found]
    note = (
        f"The fresh model alone has perplexity {_mean(sorted(set(untuned)), 1)} on the held-out "
        "pieces. MAUVE clusters so few texts into a few groups: it separates texts of "
        "another kind from texts like the real ones, and nothing finer."
    )
    titles = (
        *("Method", "entity", "perplexity", "MAUVE", "distinct-1", "distinct-2", "distinct-3"),
        *("perplexity (paper)", "MAUVE (paper)"),
    )
    return f"{table(titles, rows)}\n\n{note}"


def _reading(arms: Sequence[ArmResult], recipes: Sequence[RecipeResult]) -> Iterator[str]:
    """Yield what the figures of this run allow to say, and what they do not."""
    blocked = [a for a in arms if a.known and a.name.endswith("blocked")]
    direct, both = Identifiers.DIRECT, Identifiers.BOTH
    if arms and not any(a.report.leakage[direct].pipp.successes for a in arms):
        yield (
            "No arm wrote a direct identifier: a model of this size does not learn names and file "
            "numbers from so few readings, so the tables of direct identifiers separate no methods."
        )
    leaked = _pooled([a.report.leakage[both].pipp for a in blocked])
    again = sum(a.again for a in blocked)
    yield (
        f"Blocking: {share(leaked)} of the texts of the arms with the annotators' values blocked "
        f"have one of them; {again} texts had to be written again."
    )
    pipp = {
        name: _pooled([a.report.leakage[both].pipp for a in results])
        for name, results in _by_name(arms).items()
    }
    if "icl-blocked-unknown" in pipp:
        yield (
            f"With the recognizer's values blocked instead, {share(pipp['icl-blocked-unknown'])} "
            "of the texts have a value that the annotators marked: what the recognizer overlooks "
            "is not blocked."
        )
    if {"prefix-printed", "prefix-lowering"} <= pipp.keys():
        yield (
            f"The two signs of equation 3: PIPP {share(pipp['prefix-printed'])} as printed, "
            f"{share(pipp['prefix-lowering'])} with the lowering sign. Intervals that overlap show "
            "no difference."
        )
    yield from _worth(arms, recipes)


def _worth(arms: Sequence[ArmResult], recipes: Sequence[RecipeResult]) -> Iterator[str]:
    found: dict[str, list[float]] = {}
    for arm in arms:
        if arm.report.perplexity:
            title = f"{arm.title}, entity {'known' if arm.known else 'unknown'}"
            found.setdefault(title, []).append(arm.report.perplexity.tuned)
    tuned = {title: fmean(values) for title, values in found.items()}
    real = [
        r.report.perplexity.tuned for r in recipes if r.name == "origin" and r.report.perplexity
    ]
    if tuned and real:
        best = min(tuned, key=tuned.__getitem__)
        yield (
            f"The texts are poor training text: the best arm ({best}) gives perplexity "
            f"{tuned[best]:.0f}, the real pieces give {fmean(real):.0f}."
        )


def _samples(arms: Sequence[ArmResult]) -> str:
    lines = [
        f"{result.title} (ROUGE-L to the nearest case {excerpt.rouge_l:.2f}):\n"
        + fill(" ".join(excerpt.text.split()), _WIDTH)
        for result in arms
        for excerpt in result.excerpts
    ]
    shown = "\n\n".join(lines[:_SHOWN])
    return (
        "## Samples\n\nA model of this size writes phrases of judgments, not a "
        "case: these texts show the method, and are of no use to a reader. Only texts of arms "
        "with the annotators' values blocked are shown, and of these only such as have no private "
        "value of a whole training case, no name of one by the recognizer, and ROUGE-L under .5 to "
        f"each.\n\n```text\n{shown}\n```"
    )


def _paper_title(title: str) -> str:
    """Return the paper's name of an arm: without our rates and signs."""
    if title.endswith("blocked"):
        return ""
    if title.startswith(_MASKED):
        return _MASKED
    return title.partition(",")[0]


def _share(found: Proportion) -> float:
    return found.successes / found.trials if found.trials else 0.0


def _interval(found: Proportion) -> str:
    return f"{percent(found.low)}–{percent(found.high)}"


def _pooled(found: Sequence[Proportion]) -> Proportion:
    """Return the texts of all seeds as one sample."""
    return Proportion.of(sum(f.successes for f in found), sum(f.trials for f in found))


def _counts(found: Sequence[Proportion]) -> str:
    """Return the counts of each seed; the values are the same, so they are no larger sample."""
    if len({f.trials for f in found}) == 1 and len(found) > 1:
        return f"{', '.join(str(f.successes) for f in found)} of {found[0].trials}"
    return " + ".join(share(f) for f in found)


def _mean(values: Sequence[float], digits: int) -> str:
    """Return the mean, with the 95 % t interval over seeds where there are several."""
    if not values:
        return NO_FIGURE
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    return f"{fmean(values):.{digits}f} ± {t_margin(values):.{digits}f}"
