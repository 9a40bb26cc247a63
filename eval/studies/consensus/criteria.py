"""The targets of recipe `consensus`, and whether each corpus meets them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sage_rag.eval.ratio import Ratio
from sage_rag.eval.studies.consensus.results import CorpusFigures, IndexFigures, Wording
from sage_rag.eval.studies.consensus.tables import rare_words
from sage_rag.eval.studies.tables import NO_FIGURE, area, share, table


@dataclass(frozen=True, slots=True)
class Targets:
    """What is expected of `consensus` at its default k on one corpus."""

    auc: float
    content_f1: float
    cosine: float
    detected: float = 0.05
    rare_words: int = 3


TARGETS: Mapping[str, Targets] = {
    "healthcaremagic": Targets(auc=0.65, content_f1=0.85, cosine=0.93),
    "chatdoctor": Targets(auc=0.62, content_f1=0.97, cosine=0.92),
}


def criteria(splits: Mapping[str, IndexFigures], sizes: Mapping[str, CorpusFigures]) -> str:
    """Tabulate whether the default of `consensus` meets the targets of each corpus."""
    columns = {name: list(_verdicts(row, TARGETS[name])) for name, row in splits.items()}
    titles = [title for title, _ in next(iter(columns.values()))]
    heads = [f"{name} ({sizes[name].indexed} indexed)" for name in columns]
    rows = ([t, *(found[n][1] for found in columns.values())] for n, t in enumerate(titles))
    return table(["expected at k = 3", *heads], rows)


def _verdicts(row: IndexFigures, targets: Targets) -> Iterator[tuple[str, str]]:
    worst, detected = row.worst, row.detected
    yield (
        "membership, worst area under the curve",
        _verdict(
            worst.auc <= targets.auc,
            f"{area(worst)}, at most {targets.auc}",
            sure=worst.high <= targets.auc,
        ),
    )
    yield (
        "members detected at 1 % false alarms, worst attack",
        _verdict(
            detected.successes <= targets.detected * detected.trials,
            f"{share(detected)}, at most {targets.detected:.0%}",
            sure=detected.high <= targets.detected,
        ),
    )
    if row.utility is not None:
        ratios = row.utility.ratios
        for title, name, least in (
            ("content F1 as a share of `origin`'s", "content_f1", targets.content_f1),
            ("cosine to the true answer as a share of `origin`'s", "cosine", targets.cosine),
        ):
            found = ratios[name]
            met = found is not None and found.value >= least
            sure = found is not None and found.low >= least
            yield title, _verdict(met, f"{_three_digits(found)}, at least {least}", sure=sure)
    if row.wording is not None:
        yield from _wording_verdicts(row.wording, targets)


def _wording_verdicts(found: Wording, targets: Targets) -> Iterator[tuple[str, str]]:
    yield (
        "passages with ten words in a row of any original",
        _verdict(not found.repeated.successes, share(found.repeated)),
    )
    yield (
        "passages with ROUGE-L F over 0.5 with any original",
        _verdict(not found.similar.successes, share(found.similar)),
    )
    yield (
        f"longest run shared with fewer than {found.rare.k} subjects",
        _verdict(
            found.rare.longest <= targets.rare_words,
            f"{rare_words(found)} words, at most {targets.rare_words}",
        ),
    )


def _three_digits(found: Ratio | None) -> str:
    """Format a ratio so that it differs from a target that it misses narrowly."""
    if found is None:
        return NO_FIGURE
    return f"{found.value:.3f} ({found.low:.3f}–{found.high:.3f})"


def _verdict(met: bool, figure: str, *, sure: bool = True) -> str:
    """`sure`: the whole interval meets the target."""
    if not met:
        return f"**no**: {figure}"
    return f"yes: {figure}" if sure else f"yes: {figure}; the interval reaches beyond"
