"""The page of the study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, stdev
from textwrap import fill

from sage_rag.common.proportions import Proportion, percent
from sage_rag.eval.studies.controlled.arms import arms_of
from sage_rag.eval.studies.controlled.paper import TABLE_1, TABLE_2, TABLE_4, TABLE_6, PaperRow
from sage_rag.eval.studies.controlled.recipes_part import ordered
from sage_rag.eval.studies.controlled.results import ArmResult, RecipeResult
from sage_rag.eval.studies.controlled.settings import ControlledSettings
from sage_rag.eval.studies.tables import NO_FIGURE, table
from sage_rag.training.controlled.codes import Identifiers

TITLE = "Controlled generation: synthetic court cases by control codes"
ABOUT = """\
Zhao and Field (2025) let a model write synthetic cases after invented lists of values (control
codes): in context, from three real examples, or after prefix tuning. This study repeats their
tables on the 102 annotated cases of TAB that we have, with a model of a few million parameters that
is trained in the run: on novels, then on the training cases. The cases of the split `test` are read
by no model; they are the reference of perplexity and MAUVE. The paper has 1,014 training cases and
a model of 1.3 billion parameters, so its figures stand next to ours for the layout and for the
direction, not for the size.

As in the paper, PIPP is the share of texts with a private value, ELP the share of private values
that occur, ROUGE is that of the nearest source. In-context arms are measured against the three
examples of each text (ELP: the mean over texts), tuned arms against all training pieces. A second
table measures all arms against all training pieces, so that its rows can be compared. Unlike the
paper, `privacy enhancement` blocks the values of all training pieces, not of the examples alone,
and every spelling of them; a text with a blocked value is written again, and dropped after five
tries. Perplexity is that of a fresh model, which has read novels alone, tuned on an arm's texts."""

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
    yield f"Seeds: {', '.join(map(str, seeds)) or 'none'}. ± is the 95 % interval over seeds."
    known = _by_title(arms, settings, known=True)
    unknown = _by_title(arms, settings, known=False)
    direct, both = Identifiers.DIRECT, Identifiers.BOTH
    yield "## Entity known, direct identifiers (Table 1)\n\n" + _privacy(known, direct, TABLE_1)
    yield "## Entity unknown, direct identifiers (Table 2)\n\n" + _privacy(unknown, direct, TABLE_2)
    yield "## Entity known, direct and quasi-identifiers (Table 6)\n\n" + _privacy(
        known, both, TABLE_6
    )
    yield "## Entity unknown, direct and quasi-identifiers\n\n" + _privacy(unknown, both, {})
    yield "## All arms against all training pieces\n\n" + _whole({**known, **unknown})
    yield "## Utility (Table 4)\n\n" + _utility({**known, **unknown})
    if recipes:
        yield "## Next to the recipes of an index\n\n" + _recipes(recipes)
    yield "## What the figures say\n\n" + "\n".join(f"* {line}" for line in _reading(arms, recipes))
    yield _samples(arms)


def _by_title(
    arms: Sequence[ArmResult], settings: ControlledSettings, *, known: bool
) -> dict[tuple[str, bool], list[ArmResult]]:
    """Return the results of each arm, one for each seed, in the order of the paper's tables."""
    found: dict[tuple[str, bool], list[ArmResult]] = {}
    for arm in arms_of(settings):
        own = [result for result in arms if result.name == arm.name and arm.known == known]
        if own:
            found[arm.title, known] = own
    return found


def _setting(settings: ControlledSettings) -> str:
    return "## Setting\n\n" + table(("setting", "value"), settings.model_dump().items())


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
                _interval(found[0].pipp) if len(found) == 1 else "",
                _mean([100 * e for e in elp], 2),
                _mean([result.rouge_2 for result in results], 4),
                _mean([result.rouge_l for result in results], 4),
                *(theirs or (NO_FIGURE,) * 4),
            )
        )
    titles = ("Method", _OWN_TITLES[0], "95 % (one seed)", *_OWN_TITLES[1:], *_PAPER_TITLES)
    return table(titles, rows)


def _whole(arms: Mapping[tuple[str, bool], Sequence[ArmResult]]) -> str:
    rows = []
    for (title, known), results in arms.items():
        reports = [result.report for result in results]
        figures = [
            _counts([getattr(r.leakage[kind], measure) for r in reports])
            for kind in (Identifiers.DIRECT, Identifiers.QUASI, Identifiers.BOTH)
            for measure in ("pipp", "elp")
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
        "pieces. MAUVE clusters so few texts into two or three groups: it separates texts of "
        "another kind from texts like the real ones, and nothing finer."
    )
    titles = (
        *("Method", "entity", "perplexity", "MAUVE", "distinct-1", "distinct-2", "distinct-3"),
        *("perplexity (paper)", "MAUVE (paper)"),
    )
    return f"{table(titles, rows)}\n\n{note}"


def _recipes(recipes: Sequence[RecipeResult]) -> str:
    rows = []
    for result in ordered(recipes):
        found = result.report
        direct, both = (found.leakage[kind] for kind in (Identifiers.DIRECT, Identifiers.BOTH))
        rows.append(
            (
                f"`{result.name}`",
                f"{result.published} of {result.records}",
                *map(_counted, (direct.pipp, direct.elp, both.pipp, both.elp)),
                f"{found.rouge_2:.3f}",
                f"{found.rouge_l:.3f}",
                f"{found.perplexity.tuned:.1f}" if found.perplexity else NO_FIGURE,
                NO_FIGURE if found.mauve is None else f"{found.mauve:.3f}",
            )
        )
    titles = (
        *("recipe", "published", "PIPP direct", "ELP direct", "PIPP both", "ELP both"),
        *("ROUGE-2", "ROUGE-L", "perplexity", "MAUVE"),
    )
    note = (
        "All recipes but `controlled` index the training pieces; `controlled` indexes the texts of "
        "the arm ICL w/ privacy enhancement, after its own policy. Passages are measured as a "
        "server holds them, against the training pieces."
    )
    return f"{note}\n\n{table(titles, rows)}"


def _reading(arms: Sequence[ArmResult], recipes: Sequence[RecipeResult]) -> Iterator[str]:
    """Yield what the figures of this run allow to say, and what they do not."""
    blocked = [a for a in arms if a.known and a.name.endswith("blocked")]
    direct, both = Identifiers.DIRECT, Identifiers.BOTH
    if arms and not any(a.report.leakage[direct].pipp.successes for a in arms):
        yield (
            "No arm wrote a direct identifier: a model of this size does not learn names and file "
            "numbers from so few readings, so the tables of direct identifiers separate no methods."
        )
    leaked = sum(a.report.leakage[both].pipp.successes for a in blocked)
    texts = sum(a.report.texts for a in blocked)
    again = sum(a.again for a in blocked)
    yield (
        f"Blocking: {leaked} of {texts} texts of the arms with the annotators' values blocked have "
        f"one of them; {again} texts had to be written again."
    )
    unknown = [a for a in arms if not a.known and a.name.startswith("icl-blocked")]
    for arm in unknown:
        yield (
            "With the recognizer's values blocked instead, "
            f"{_counted(arm.report.leakage[both].pipp)} of the texts have a value that the "
            "annotators marked: what the recognizer overlooks is not blocked."
        )
    free = [a for a in arms if a not in blocked and a.known and a.of_examples is None]
    signs = {a.name: a.report.leakage[both] for a in free}
    if {"prefix-printed", "prefix-lowering"} <= signs.keys():
        yield (
            "The two signs of equation 3: PIPP "
            f"{_counted(signs['prefix-printed'].pipp)} as printed, "
            f"{_counted(signs['prefix-lowering'].pipp)} with the lowering sign. Intervals that "
            "overlap show no difference."
        )
    yield from _worth(arms, recipes)


def _worth(arms: Sequence[ArmResult], recipes: Sequence[RecipeResult]) -> Iterator[str]:
    tuned = {a.title: a.report.perplexity.tuned for a in arms if a.report.perplexity}
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
        "## Samples\n\nA model of a few million parameters writes phrases of judgments, not a "
        "case: these texts show the method, and are of no use to a reader. Only texts of arms "
        "with the annotators' values blocked are shown, and of these only such as have no private "
        f"value of a whole training case and ROUGE-L under .5 to each.\n\n```text\n{shown}\n```"
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


def _counted(found: Proportion) -> str:
    return f"{found.successes} of {found.trials} ({_interval(found)} %)"


def _counts(found: Sequence[Proportion]) -> str:
    """Return one proportion with its interval; of several seeds the counts."""
    if len(found) == 1:
        return _counted(found[0])
    return " + ".join(f"{f.successes} of {f.trials}" for f in found)


def _mean(values: Sequence[float], digits: int) -> str:
    """Return the mean, with the 95 % interval over seeds where there are several.

    Source of the factors: Student's t with one and with two degrees of freedom, and more.
    """
    if not values:
        return NO_FIGURE
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    factor = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}.get(len(values), 2.0)
    half = factor * stdev(values) / len(values) ** 0.5
    return f"{fmean(values):.{digits}f} ± {half:.{digits}f}"
