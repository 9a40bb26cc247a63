"""The tables of recipes: leakage and utility of each."""

from __future__ import annotations

from sage_rag.agents.baselines import NEED_A_MODEL
from sage_rag.eval.report import Group
from sage_rag.eval.studies.sage import paper
from sage_rag.eval.studies.sage.results import IndexComparison, IndexMeasurement
from sage_rag.eval.studies.tables import NO_FIGURE, ratio, share, table
from sage_rag.indexer.recipes import RECIPES

NAMES = {"sage-stage-1": "sage, stage 1 alone", "sage": "sage, both stages"}
_NOT_HERE = "needs a model"
_PAPER_K = 1
ANSWERING_K = 5
"""Passages that a server retrieves by default."""


def pieces(group: Group, detector: str) -> str:
    """Return how many distinct pieces a detector found; a dash if it did not run."""
    found = group.find(detector)
    return NO_FIGURE if found is None else str(found.pieces)


def prompts(group: Group, detector: str) -> str:
    """Return how many prompts leaked, with the 95 % interval."""
    found = group.find(detector)
    return NO_FIGURE if found is None else share(found.prompts)


def whole_indexes(compared: IndexComparison) -> str:
    """Tabulate the leakage of whole indexes: the most that any attack can extract."""
    marked = compared.marked > 0
    titles = ["recipe", "passages", "originals repeated", "originals alike", "alike by code"]
    titles += ["contact details", *(["marked identifiers"] if marked else [])]
    detectors = ["repeat", "rouge", "rouge-compat", "contacts", *(["canaries"] if marked else [])]
    return table(
        titles,
        (
            [row_name(row), row.whole_index.attempts]
            + [pieces_found(row.whole_index, detector) for detector in detectors]
            for row in compared.rows
        ),
    )


def pieces_found(group: Group, detector: str) -> str:
    """Return how many pieces a detector found in a group's answers, of those there are."""
    found = group.find(detector)
    if found is None:
        return NO_FIGURE
    return str(found.pieces) if found.of is None else f"{found.pieces} of {found.of}"


def attacks(compared: IndexComparison) -> str:
    """Tabulate attacks with the paper's prompts at the paper's k, next to its figures."""
    titles = ["recipe", "targeted: repeat prompts", "paper", "disease cases", "paper"]
    titles += ["untargeted: repeat prompts", "paper", "repeat contexts", "paper"]
    titles += ["ROUGE contexts", "paper"]
    return table(titles, [*map(_attacked, compared.rows), *map(_unattacked, _missing(compared))])


def _attacked(row: IndexMeasurement) -> list[str]:
    theirs = paper.ROWS.get(row.name, paper.PaperRow(""))
    targeted, untargeted = row.group(_PAPER_K, "targeted"), row.group(_PAPER_K, "untargeted")
    return [
        row_name(row),
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


def attacks_with_five_passages(compared: IndexComparison) -> str:
    """Tabulate attacks that retrieve five passages for each prompt."""
    titles = ["recipe", "targeted: repeat prompts", "contact details", "disease cases"]
    titles += ["untargeted: repeat prompts", "repeat contexts", "ROUGE contexts"]
    rows = []
    for row in compared.rows:
        targeted, untargeted = (row.group(ANSWERING_K, kind) for kind in ("targeted", "untargeted"))
        found = [prompts(targeted, "repeat"), pieces(targeted, "contacts")]
        found += [pieces(targeted, "disease"), prompts(untargeted, "repeat")]
        rows.append([row_name(row), *found, *(pieces(untargeted, d) for d in ("repeat", "rouge"))])
    return table(titles, rows)


def utility(compared: IndexComparison) -> str:
    """Tabulate utility next to the paper's figures, each as a share of `origin`'s, and `FOUND`."""
    titles = ["recipe", "ROUGE-L F", "of `origin`'s", "paper", "BLEU-1", "of `origin`'s", "paper"]
    rows = []
    for row in compared.rows:
        theirs, (name, *cells) = paper.ROWS.get(row.name, paper.PaperRow("")), _utility(row)
        cells.insert(2, _relative(theirs.rouge_l, paper.ORIGIN_ROUGE_L))
        cells.insert(5, _relative(theirs.bleu_1, paper.ORIGIN_BLEU_1))
        rows.append([name, *cells])
    return table([*titles, *FOUND], rows)


def utility_alone(compared: IndexComparison) -> str:
    """Tabulate utility of a corpus for which the paper has no figures."""
    titles = ["recipe", "ROUGE-L F", "of `origin`'s", "BLEU-1", "of `origin`'s", *FOUND]
    return table(titles, map(_utility, compared.rows))


FOUND = ("`origin`'s first in the top 5", "known item at rank 1", "of `origin`'s", "quarantined")


def _utility(row: IndexMeasurement) -> list[str]:
    answers = row.answering(ANSWERING_K)
    if answers is None:
        return [row_name(row), *[NO_FIGURE] * 4, *finding(row)]
    rouge_l, bleu_1 = f"{answers.rouge_l:.4f}", f"{answers.bleu_1:.4f}"
    ratios = ratio(answers.rouge_ratio), ratio(answers.bleu_ratio)
    return [row_name(row), rouge_l, ratios[0], bleu_1, ratios[1], *finding(row)]


def finding(row: IndexMeasurement) -> list[str]:
    """Return the cells under `FOUND`."""
    found = [share(row.agreement), share(row.known_items), ratio(row.known_ratio)]
    return [*found, share(row.quarantine)]


def rouge_share(row: IndexMeasurement, top_k: int = ANSWERING_K) -> str:
    """Format the answers' ROUGE-L as a share of `origin`'s."""
    answers = row.answering(top_k)
    return ratio(answers.rouge_ratio if answers else None)


def reasons(compared: IndexComparison) -> str:
    """List the reasons of quarantine; one record can have several."""
    lines = ["Why records are quarantined (one can have several reasons):", ""]
    for row in compared.rows:
        if row.reasons:
            counted = sorted(row.reasons.items(), key=lambda item: (-item[1], item[0]))
            named = ", ".join(f"{name} {count}" for name, count in counted)
            lines.append(f"* {row_name(row)}: {named}")
    return "\n".join(lines).rstrip()


def passages(compared: IndexComparison) -> str:
    """Tabulate leakage and utility by the number of retrieved passages."""
    titles = ["recipe", "k", "repeat prompts, targeted", "cases", "repeat prompts, untargeted"]
    titles += ["repeat contexts", "ROUGE-L of `origin`'s at that k"]
    shown = [r for r in (compared.row(n) for n in ("origin", "sage-stage-1", "sage")) if r]
    return table(titles, (_retrieved(r, a.top_k or 0) for r in shown for a in r.attacks))


def _retrieved(row: IndexMeasurement, top_k: int) -> list[object]:
    targeted, untargeted = row.group(top_k, "targeted"), row.group(top_k, "untargeted")
    return [
        row_name(row),
        top_k,
        prompts(targeted, "repeat"),
        pieces(targeted, "disease"),
        prompts(untargeted, "repeat"),
        pieces(untargeted, "repeat"),
        rouge_share(row, top_k),
    ]


def _missing(compared: IndexComparison) -> list[str]:
    return [n for n in RECIPES if RECIPES[n].method in NEED_A_MODEL and compared.row(n) is None]


def row_name(row: IndexMeasurement) -> str:
    """Return the name of a variant in tables."""
    return NAMES.get(row.name, row.name)


def _figure(figure: int | None) -> str:
    return NO_FIGURE if figure is None else str(figure)


def _relative(own: float | None, reference: float) -> str:
    return NO_FIGURE if own is None else f"{own / reference:.2f}"
