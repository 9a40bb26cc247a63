"""Show which changes of meaning the gate finds in drafts that were marked by hand.

The page lists the changes that it misses, and the faithful sentences that it refuses.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.meaning_curve import curve, curve_tables
from sage_rag.eval.studies.meaning_pairs import KINDS, Split, meaning_pairs
from sage_rag.eval.studies.meaning_scores import PairResult, Scores, found, judge
from sage_rag.eval.studies.runner import StudyResult, StudyRun, page, report
from sage_rag.eval.studies.tables import cell, table
from sage_rag.privacy.gate.meaning import meaning_changes

_ABOUT = """\
`eval/gold/meaning.jsonl` holds invented records of six domains, each with a draft in the style of
the rules or of a model. Every change of meaning is marked by hand; some drafts have none, although
they are reworded as much. The set was written without knowledge of the gate's code.

* *Found*: the gate reports a change in the sentence of the marked quote, of any kind. A lost
  question is found only by a finding of that kind in its field.
* *Falsely flagged*: the gate reports a change in a draft without one, or in a sentence without a
  mark.

A draft may add no word but function words to its sentence, and a rule or an advice may lose none:
the burden of proof is with the draft (`unverified_words = 0`). A model's free rewording is
therefore refused where it is faithful, too; its rewriter receives the place and keeps the record's
words, or leaves the sentence out. Rules copy sentences and are hardly affected. The curve below is
of the development split, and the value 0 was chosen from it before the held-out split was run.

The pairs numbered over 100, 200, 300 and 400 are by four more writers, who had read no code, no
other pair and no page of the project. Each set was measured once before its texts were read; the
gates of these days found 175 of 185, 123 of 147 and 124 of 134 changes of the last three. The sets
differ: the fourth has many sentences that lost the one that they refer to or depend on. After each
measurement, misses were mended that have a rule in common, not a word. The split *held-out* is that
of the last two writers, and its row of the first measurement is the estimate for other texts. The
gate before them found 114 of 147 and 116 of 134, and let 1 of their 72 altered drafts pass. Today's
rows are no estimate. All other pairs are *development*, also those that earlier pages called held
out. Of the marks none was struck. The page names errors of the held-out split by id alone.

The three marks of kind *reference* were found after their texts were read: a sentence may not lose
the one that its "it", "he" or "there" refers to, and "they", "he" and "there" follow it. Where "it"
comes before its sentence in the draft, as in three drafts whose writers marked nothing, the gate
reports nothing: dialogue-09, dialogue-30, dialogue-205.

What remains is a change that the words of a sentence do not show: a model exchanges who did what
among the same words. A report may be shortened, so it can lose an item of a list or a condition of
a person: "I am pregnant and take valproate" passes as "I take valproate". Rules do not do this:
they leave a sentence whole."""


_TITLES = (
    "changes found",
    "altered drafts refused",
    "faithful drafts falsely flagged",
    "unmarked sentences falsely flagged",
)
_FIRST_COMMITS = "4ca75c4, pairs over 100 at 9846cff, each later set before it was read"
FIRST: Mapping[str, tuple[tuple[int, int], ...]] = {
    Split.DEVELOPMENT: ((482, 598), (175, 178), (47, 83), (356, 1456)),
    Split.HELD_OUT: ((247, 281), (72, 72), (22, 24), (299, 617)),
}
"""The first measurement of each split: counts and totals, by `_TITLES`."""


def scores(results: Sequence[PairResult]) -> dict[str, Scores]:
    """Return the scores of each split and of all pairs."""
    splits = {str(h): Scores.of([r for r in results if r.pair.split is h]) for h in Split}
    return {**splits, "all": Scores.of(results)}


def tables(results: Sequence[PairResult]) -> str:
    """Return the scores and the errors, as Markdown."""
    splits = [(name, *score.cells) for name, score in scores(results).items()]
    blocks = [table(("split", *_TITLES), splits), _first()]
    for name in ("style", "domain"):
        groups = dict.fromkeys(getattr(r.pair, name) for r in results)
        parts = {g: [r for r in results if getattr(r.pair, name) == g] for g in groups}
        lines = [(group, *Scores.of(part).cells) for group, part in parts.items()]
        blocks.append(table((name, *_TITLES), lines))
    kinds = table(("kind", "direction", *Split), _by_kind(results))
    errors = (f"## Missed\n\n{_missed(results)}", f"## Falsely flagged\n\n{_flagged(results)}")
    return "\n\n".join([*blocks, f"## Changes found, by kind\n\n{kinds}", *errors])


def _by_kind(results: Sequence[PairResult]) -> Iterator[list[object]]:
    for kind, direction in KINDS.items():
        yield [
            kind,
            direction,
            *(found((r for r in results if r.pair.split is h), kind) for h in Split),
        ]


def _missed(results: Iterable[PairResult]) -> str:
    """Return the missed changes: a table of the development split, ids of the other one."""
    missed = [
        (r.pair, change)
        for r in results
        for change, hit in zip(r.pair.changes, r.found, strict=True)
        if not hit
    ]
    lines = [
        (pair.id, change.kind, _code(change.draft), _code(change.source))
        for pair, change in missed
        if pair.split is Split.DEVELOPMENT
    ]
    others = [f"{pair.id} ({c.kind})" for pair, c in missed if pair.split is Split.HELD_OUT]
    return f"{table(('pair', 'kind', 'draft', 'source'), lines)}\n\n{_held_out(others)}"


def _flagged(results: Iterable[PairResult]) -> str:
    """Return the sentences flagged falsely: those in the style of the rules, counts of the others.

    A model's sentences are flagged as a rule, so that their list says nothing.
    """
    flagged = [r for r in results if r.flagged]
    listed = [r for r in flagged if r.pair.split is Split.DEVELOPMENT and r.pair.style == "rules"]
    lines = [
        (r.pair.id, _code(r.pair.text[start:end].strip()))
        for r in listed
        for start, end in r.flagged
    ]
    counts = {
        split: [
            f"{r.pair.id} ({len(r.flagged)})"
            for r in flagged
            if r not in listed and r.pair.split is split
        ]
        for split in Split
    }
    return (
        f"{table(('pair, style of the rules', 'sentence'), lines)}\n\n"
        f"Style of a model: {', '.join(counts[Split.DEVELOPMENT]) or 'no pair'}.\n\n"
        f"{_held_out(counts[Split.HELD_OUT])}"
    )


def _held_out(names: Sequence[str]) -> str:
    return f"In the held-out split: {', '.join(names) or 'no pair'}."


def _code(text: str) -> str:
    """Return a text as code in one cell of a table."""
    return f"`{cell(text)}`" if text else ""


def _first() -> str:
    """Return the first measurement of each split and of both."""
    both = np.sum(list(FIRST.values()), axis=0).tolist()
    lines = [
        (split, *(Proportion.of(count, of) for count, of in counts))
        for split, counts in {**FIRST, "all": both}.items()
    ]
    note = "First measurement, before any change made with these pairs in view"
    return f"{note} (commit {_FIRST_COMMITS}):\n\n{table(('split', *_TITLES), lines)}"


def add_options(parser: ArgumentParser) -> None:
    """The study has no options of its own."""


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Judge the gate's measure of meaning."""
    results = judge(meaning_pairs(), meaning_changes)
    measured = scores(results)
    report(f"changes found: {measured['all'].changes}")
    development = [r.pair for r in results if r.pair.split is Split.DEVELOPMENT]
    blocks = (tables(results), curve_tables(curve(development)))
    return StudyResult(page("Changes of meaning", _ABOUT, run, *blocks), measured)
