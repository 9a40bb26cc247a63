"""Tables of the attacks on models, with the paper's figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sage_rag.eval.mean import Mean
from sage_rag.eval.membership import Membership
from sage_rag.eval.model_attacks.key_recovery import KeyRecovery, RecoveryPoint
from sage_rag.eval.model_attacks.results import ModelAttackReport
from sage_rag.eval.studies.tables import NO_FIGURE, area, share, table

PAPER_TABLE_4 = (
    ("Plain-LLM PT+CPT", 0.068, 0.839, 35, 59),
    ("Plain-LLM CPT", 0.004, 0.908, 0, 0),
    ("Crypto-LLM Key1", 0.016, 0.862, 6, 10),
    ("Crypto-LLM Key10", 0.011, 0.876, 1, 1),
    ("Crypto-LLM Key100", 0.007, 0.885, 2, 2),
    ("Scrubbing-LLM", 0.053, 0.869, 28, 148),
)
"""Source: Kobashi et al., Crypto-LLM, Tables 4 and 5 (all extracted strings): 551M parameters;
1,000 sentences, 1,000 candidates, 100,000 prompts."""

_TITLES_4 = (
    "model", "attacked with", "name reconstruction", "mean rank of the name", "candidates",
    "true prefix, normalised LD", "continued exactly", "data extraction, unique strings",
    "all strings", "prompts with a string",
)  # fmt: skip
_TITLES_MEMBERSHIP = ("model", "members", "others", "AUC, loss", "TPR at 1 % FPR, loss",
                      "AUC, Min-K%++", "TPR at 1 % FPR, Min-K%++")  # fmt: skip
_TITLES_KEYS = ("key length", "characters", "known of these", "length found",
                "letters read", "texts read")  # fmt: skip


def tables(report: ModelAttackReport) -> str:
    """Return all tables of one model, in Markdown."""
    parts = []
    if report.names or report.prefixes or report.extraction:
        parts.append(table_4([report], paper=True))
    if report.membership:
        parts.append(membership_table([report]))
    if report.keys is not None:
        parts += [key_table(report.keys), *key_readings(report.keys)]
    return "\n\n".join(parts)


def table_4(reports: Sequence[ModelAttackReport], *, paper: bool = False) -> str:
    """Return the paper's Tables 4 and 5 for models, one row for each group of sentences or prompts.

    `paper`: its own rows come first. They are of other models and texts: they show an order, not a
    level.
    """
    rows: list[tuple[object, ...]] = []
    if paper:
        rows += map(_paper_row, PAPER_TABLE_4)
    rows += [row for report in reports for row in _rows_4(report)]
    return table(_TITLES_4, rows)


def _paper_row(figures: tuple[str, float, float, int, int]) -> tuple[object, ...]:
    name, success, distance, unique, total = figures
    missing = NO_FIGURE
    model = f"{name} (paper)"
    return model, "web text", success, missing, 1000, distance, missing, unique, total, missing


def _rows_4(report: ModelAttackReport) -> Iterator[tuple[object, ...]]:
    names = {found.group: found.result for found in report.names}
    prefixes = {found.group: found.result for found in report.prefixes}
    prompts = {found.group: found.result for found in report.extraction}
    for group in dict.fromkeys((*names, *prefixes, *prompts)):
        name, prefix, extraction = names.get(group), prefixes.get(group), prompts.get(group)
        yield (
            report.model,
            group,
            NO_FIGURE if name is None else share(name.first),
            NO_FIGURE if name is None else _mean(name.rank),
            NO_FIGURE if name is None else name.candidates,
            NO_FIGURE if prefix is None else _mean(prefix.distance),
            NO_FIGURE if prefix is None else share(prefix.exact),
            NO_FIGURE if extraction is None else extraction.unique,
            NO_FIGURE if extraction is None else extraction.total,
            NO_FIGURE if extraction is None else share(extraction.outputs),
        )


def membership_table(reports: Sequence[ModelAttackReport]) -> str:
    """Return the membership inference of models."""
    return table(
        _TITLES_MEMBERSHIP,
        (
            (
                report.model,
                f"{found.result.loss.members} {found.group}",
                found.result.loss.others,
                *_membership(found.result.loss),
                *_membership(found.result.min_k),
            )
            for report in reports
            for found in report.membership
        ),
    )


def key_table(keys: KeyRecovery) -> str:
    """Return the curves of key recovery."""
    return table(_TITLES_KEYS, (_key_row(p) for p in (*keys.by_frequency, *keys.by_crib)))


def _key_row(point: RecoveryPoint) -> tuple[object, ...]:
    return (
        point.key_length,
        point.characters,
        point.crib,
        share(point.length_found),
        _mean(point.letters),
        share(point.read),
    )


def key_readings(keys: KeyRecovery) -> Iterator[str]:
    """Yield a sentence for each key length that was broken with the texts at hand."""
    for key_length in sorted({point.key_length for point in keys.by_frequency}):
        needed = keys.characters_needed(key_length)
        if needed is not None:
            yield (
                f"Key length {key_length}: {needed} characters of ciphertext are enough to read "
                "the text in all attacks without a known phrase. The cipher does not protect it."
            )


def _mean(found: Mean | None) -> str:
    return NO_FIGURE if found is None else str(found)


def _membership(found: Membership) -> tuple[str, str]:
    return area(found), share(found.detected)
