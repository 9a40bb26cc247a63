"""The study of recipes as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from eval.report import AttackReport, Group
from eval.studies.results import RecipeResult, Study

_MEBIBYTE = 2**20
_COLUMNS = ("repeat", "rouge", "rouge-compat", "contacts", "disease")
_TITLES = {
    "repeat": ("repeat prompts", "repeat contexts"),
    "rouge": ("ROUGE prompts", "ROUGE contexts"),
    "rouge-compat": ("ROUGE prompts (compat)", "ROUGE contexts (compat)"),
    "contacts": ("contact prompts", "contact details"),
    "disease": ("case prompts", "disease cases"),
}


def markdown(study: Study) -> str:
    """Return the document: conditions, one table per question, notes."""
    return "\n".join(_lines(study)) + "\n"


def _lines(study: Study) -> Iterator[str]:
    yield from _head(study)
    yield from ("## Leakage", "", _LEAKAGE_NOTE, "")
    for position, report in enumerate(study.recipes[0].attacks):
        for group in report.groups:
            whole = group.name == "whole index"
            if whole and position:
                continue  # the same at every k
            asked = "passages" if whole else f"{group.attempts} prompts, k = {report.top_k}"
            yield from (f"### {group.name}: {asked}".replace("index: ", "index, all "), "")
            yield from _leakage(study.recipes, position, group.name)
    yield from ("## Utility", "", _utility_note(study), "")
    yield from _table(study.recipes, _UTILITY)
    yield from ("## Cost", "", _cost_note(study), "")
    yield from _table(study.recipes, _COST)


def _head(study: Study) -> Iterator[str]:
    where = study.environment
    software = ", ".join(f"{name} {number}" for name, number in where.software.items())
    yield from ("# Recipes compared", "")
    yield f"{study.documents} documents of `{study.corpus}`, {study.prompts} attack prompts,"
    yield f"{study.held_out} held-out questions."
    yield from ("", "```", study.command, "```", "")
    yield f"Commit {where.commit}, {where.date}. {where.hardware}. {software}."
    yield ""


_LEAKAGE_NOTE = """\
Worst case: every retrieved passage counts as shown, no model between. Prompts with their exact
95 % bounds (Clopper-Pearson); contexts are distinct originals, of all documents indexed. Outputs
are compared with every original, so a stock phrase of ten words counts for each original that
has it. `compat`: as the authors' code measures ROUGE-L, recall or precision over 0.5 where the
paper says F; the other measures of the code stand in the JSON file as `…-compat`."""


def _leakage(recipes: Sequence[RecipeResult], position: int, group: str) -> Iterator[str]:
    first = _group(recipes[0].attacks[position], group)

    def column(name: str, index: int) -> tuple[str, Callable[[RecipeResult], str]]:
        def cell(result: RecipeResult) -> str:
            found = _group(result.attacks[position], group)
            measure = found.find(name)
            return "" if measure is None else (found.prompts(measure), str(measure.pieces))[index]

        title = _TITLES[name][index]
        return title.replace("prompts", "passages") if first.census else title, cell

    present = [name for name in _COLUMNS if first.find(name) is not None]
    yield from _table(recipes, [column(name, index) for name in present for index in (0, 1)])


def _group(report: AttackReport, name: str) -> Group:
    return next(group for group in report.groups if group.name == name)


_UTILITY: Sequence[tuple[str, Callable[[RecipeResult], str]]] = (
    ("BLEU-1", lambda r: f"{r.utility.bleu_1:.4f}"),
    ("ROUGE-L F", lambda r: f"{r.utility.rouge_l:.4f}"),
    ("exact match", lambda r: f"{r.utility.exact_match:.4f}"),
    ("origin's first source in the top 5", lambda r: str(r.agreement)),
)

_COST: Sequence[tuple[str, Callable[[RecipeResult], str]]] = (
    ("published", lambda r: f"{r.indexing.published} of {r.indexing.documents}"),
    ("quarantined", lambda r: _quarantined(r)),
    ("wall time", lambda r: f"{r.indexing.wall_s:.1f} s"),
    ("documents per second", lambda r: f"{r.indexing.documents_per_s:.1f}"),
    ("peak memory", lambda r: f"{r.indexing.peak_rss_bytes / _MEBIBYTE:.0f} MiB"),
    ("index", lambda r: f"{r.indexing.version_bytes / _MEBIBYTE:.2f} MiB"),
)


def _quarantined(result: RecipeResult) -> str:
    reasons = ", ".join(f"{name} {count}" for name, count in result.indexing.reasons.items())
    return f"{result.indexing.quarantined}" + (f" ({reasons})" if reasons else "")


def _utility_note(study: Study) -> str:
    return (
        f"A second index without the {study.held_out} held-out documents; extractive answers from\n"
        "the top 5, restored with the key and compared with the held-out answer. Questions to\n"
        "`encrypted`, `surrogates` and `sage` go out under the policy of the index, as at the edge."
    )


def _cost_note(study: Study) -> str:
    return (
        f"`sage-rag index` on all {study.documents} documents, from the start of the process to\n"
        "its end; peak resident memory of that process. A document can have several reasons."
    )


def _table(
    recipes: Sequence[RecipeResult], columns: Sequence[tuple[str, Callable[[RecipeResult], str]]]
) -> Iterator[str]:
    yield "| " + " | ".join(["recipe", *(title for title, _ in columns)]) + " |"
    yield "| --- " * (len(columns) + 1) + "|"
    for result in recipes:
        yield "| " + " | ".join([result.indexing.recipe, *(c(result) for _, c in columns)]) + " |"
    yield ""
