"""The tables of recipes: what each leaks and what answers from it are worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sage_rag.agents.baselines import NEED_A_MODEL
from sage_rag.common.proportions import Proportion
from sage_rag.eval.report import Group
from sage_rag.eval.studies import paper
from sage_rag.eval.studies.results import IndexComparison, IndexMeasurement, Ratio
from sage_rag.indexer.recipes import RECIPES

NAMES = {"sage-stage-1": "sage, stage 1 alone", "sage": "sage, both stages"}
_NOT_HERE = "needs a model"
NO_FIGURE = "–"
_PAPER_K, ANSWERING_K = 1, 5


def table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield the lines of a Markdown table and the blank line after it."""
    yield "| " + " | ".join(titles) + " |"
    yield "|" + " --- |" * len(titles)
    for row in rows:
        yield "| " + " | ".join(map(str, row)) + " |"
    yield ""


def pieces(group: Group, detector: str) -> str:
    """Return how many distinct pieces a detector found, where it looked."""
    found = group.find(detector)
    return NO_FIGURE if found is None else str(found.pieces)


def prompts(group: Group, detector: str) -> str:
    """Return how many prompts brought something out, with the 95 % interval."""
    found = group.find(detector)
    return NO_FIGURE if found is None else share(found.prompts)


def share(found: Proportion) -> str:
    """Write a proportion with its 95 % interval in per cent, short enough for a wide table."""
    low, high = (f"{100 * bound:.1f}" for bound in (found.low, found.high))
    return f"{found.successes} of {found.trials} ({low}–{high} %)"


def ratio(found: Ratio | None) -> str:
    """Write a ratio with its 95 % interval."""
    return NO_FIGURE if found is None else f"{found.value:.2f} ({found.low:.2f}–{found.high:.2f})"


def whole_indexes(compared: IndexComparison) -> Iterator[str]:
    """What each index itself shows, nobody asking: the most that any attack can bring out."""
    marked = compared.marked > 0
    titles = ["recipe", "passages", "originals repeated", "originals alike", "alike by code"]
    titles += ["contact details", *(["marked identifiers"] if marked else [])]
    detectors = ["repeat", "rouge", "rouge-compat", "contacts", *(["canaries"] if marked else [])]
    yield from table(
        titles,
        (
            [_called(row), row.whole_index.attempts]
            + [_of(row.whole_index, detector) for detector in detectors]
            for row in compared.rows
        ),
    )


def _of(group: Group, detector: str) -> str:
    found = group.find(detector)
    if found is None:
        return NO_FIGURE
    return str(found.pieces) if found.of is None else f"{found.pieces} of {found.of}"


def attacks(compared: IndexComparison) -> Iterator[str]:
    """What the paper's prompts bring out of each index at the paper's k, next to its figures."""
    titles = ["recipe", "targeted: repeat prompts", "paper", "disease cases", "paper"]
    titles += ["untargeted: repeat prompts", "paper", "repeat contexts", "paper"]
    titles += ["ROUGE contexts", "paper"]
    yield from table(
        titles, [*map(_attacked, compared.rows), *map(_unattacked, _missing(compared))]
    )


def _attacked(row: IndexMeasurement) -> list[str]:
    theirs = paper.ROWS.get(row.name, paper.Row(""))
    targeted, untargeted = row.group(_PAPER_K, "targeted"), row.group(_PAPER_K, "untargeted")
    return [
        _called(row),
        prompts(targeted, "repeat"),
        _figure(theirs.targeted_repeat),
        pieces(targeted, "disease"),
        _figure(theirs.targeted_cases),
        prompts(untargeted, "repeat"),
        _figure(theirs.untargeted_repeat),
        pieces(untargeted, "repeat"),
        _figure(theirs.repeat_contexts),
        pieces(untargeted, "rouge"),
        _figure(theirs.rouge_contexts),
    ]


def _unattacked(name: str) -> list[str]:
    theirs = paper.ROWS[name]
    figures = [theirs.targeted_repeat, theirs.targeted_cases, theirs.untargeted_repeat]
    figures += [theirs.repeat_contexts, theirs.rouge_contexts]
    return [name, *(cell for figure in figures for cell in (_NOT_HERE, _figure(figure)))]


def brought_out(compared: IndexComparison) -> Iterator[str]:
    """What the prompts bring out of each index where several passages are retrieved."""
    titles = ["recipe", "targeted: repeat prompts", "contact details", "disease cases"]
    titles += ["untargeted: repeat prompts", "repeat contexts", "ROUGE contexts"]
    rows = []
    for row in compared.rows:
        targeted, untargeted = (row.group(ANSWERING_K, kind) for kind in ("targeted", "untargeted"))
        found = [prompts(targeted, "repeat"), pieces(targeted, "contacts")]
        found += [pieces(targeted, "disease"), prompts(untargeted, "repeat")]
        rows.append([_called(row), *found, *(pieces(untargeted, d) for d in ("repeat", "rouge"))])
    yield from table(titles, rows)


def worth(compared: IndexComparison) -> Iterator[str]:
    """What answers are worth next to the paper's, each as a share of `origin`'s, and `FOUND`."""
    titles = ["recipe", "ROUGE-L F", "of `origin`'s", "paper", "BLEU-1", "of `origin`'s", "paper"]
    rows = []
    for row in compared.rows:
        theirs, (name, *cells) = paper.ROWS.get(row.name, paper.Row("")), _worth(row)
        cells.insert(2, _relative(theirs.rouge_l, paper.ORIGIN_ROUGE_L))
        cells.insert(5, _relative(theirs.bleu_1, paper.ORIGIN_BLEU_1))
        rows.append([name, *cells])
    yield from table([*titles, *FOUND], rows)


def worth_alone(compared: IndexComparison) -> Iterator[str]:
    """What `worth` tells, of a corpus for which the paper has no figures."""
    titles = ["recipe", "ROUGE-L F", "of `origin`'s", "BLEU-1", "of `origin`'s", *FOUND]
    yield from table(titles, map(_worth, compared.rows))


FOUND = ("`origin`'s first in the top 5", "known item at rank 1", "of `origin`'s", "quarantined")


def _worth(row: IndexMeasurement) -> list[str]:
    answers = row.answering(ANSWERING_K)
    if answers is None:
        return [_called(row), *[NO_FIGURE] * 4, *finding(row)]
    rouge_l, bleu_1 = f"{answers.rouge_l:.4f}", f"{answers.bleu_1:.4f}"
    ratios = ratio(answers.rouge_ratio), ratio(answers.bleu_ratio)
    return [_called(row), rouge_l, ratios[0], bleu_1, ratios[1], *finding(row)]


def finding(row: IndexMeasurement) -> list[str]:
    """Return the cells under `FOUND`."""
    found = [share(row.agreement), share(row.known_items), ratio(row.known_ratio)]
    return [*found, share(row.quarantine)]


def useful(row: IndexMeasurement, top_k: int = ANSWERING_K) -> str:
    """Write the answers' ROUGE-L as a share of `origin`'s."""
    answers = row.answering(top_k)
    return ratio(answers.rouge_ratio if answers else None)


def reasons(compared: IndexComparison) -> Iterator[str]:
    """Why records are quarantined; one can have several reasons."""
    for row in compared.rows:
        if row.reasons:
            counted = sorted(row.reasons.items(), key=lambda item: (-item[1], item[0]))
            yield f"* {_called(row)}: {', '.join(f'{name} {count}' for name, count in counted)}"
    yield ""


def passages(compared: IndexComparison) -> Iterator[str]:
    """What the number of passages retrieved changes."""
    titles = ["recipe", "k", "repeat prompts, targeted", "cases", "repeat prompts, untargeted"]
    titles += ["repeat contexts", "ROUGE-L of `origin`'s at that k"]
    shown = [r for r in (compared.row(n) for n in ("origin", "sage-stage-1", "sage")) if r]
    yield from table(titles, (_retrieved(r, a.top_k or 0) for r in shown for a in r.attacks))


def _retrieved(row: IndexMeasurement, top_k: int) -> list[object]:
    targeted, untargeted = row.group(top_k, "targeted"), row.group(top_k, "untargeted")
    return [
        _called(row),
        top_k,
        prompts(targeted, "repeat"),
        pieces(targeted, "disease"),
        prompts(untargeted, "repeat"),
        pieces(untargeted, "repeat"),
        useful(row, top_k),
    ]


def _missing(compared: IndexComparison) -> list[str]:
    return [n for n in RECIPES if RECIPES[n].method in NEED_A_MODEL and compared.row(n) is None]


def _called(row: IndexMeasurement) -> str:
    return NAMES.get(row.name, row.name)


def _figure(figure: int | None) -> str:
    return NO_FIGURE if figure is None else str(figure)


def _relative(own: float | None, reference: float) -> str:
    return NO_FIGURE if own is None else f"{own / reference:.2f}"
