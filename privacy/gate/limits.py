"""The gate's limits: their meaning and default values.

A policy file can replace limits of its recipe under `[gate]`:

    [gate]
    rouge_l = 0.4
    run_tokens = 8
    likeness = "off"

The owner may choose limits that are looser than the default. The gate's fingerprint and the report
contain all limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sage_rag.common.exceptions import InputError

OFF = "off"
"""The value that turns a measure off."""
_MOST = 100_000

Limit = float | int | bool | None
"""The value of a limit; `None` or `False` turns the measure off."""


@dataclass(frozen=True, slots=True)
class GateLimits:
    """The limits of a gate; `None` or `False` turns a measure off.

    Private values in clear, invented placeholders and a draft without any word are always findings.

    Source: Zeng et al. (2024), arXiv 2406.14773, §4.3 for the run of 10 tokens and ROUGE-L 0.5. The
    other values are measured on drafts that the rules made of 600 patient questions with answers.
    """

    run_tokens: int | None = 10
    """A shared run of this many tokens is repeated text."""
    rouge_l: float | None = 0.5
    """A draft with a higher ROUGE-L F is the same text."""
    order_free: float | None = None
    """A draft with a higher ROUGE-Lsum F has the same sentences, in any order. Off by default: a
    draft of whole sentences of its original is close to 1."""
    quasi_values: int | None = 1
    """The number of distinct ages, dates and other values that identify in combination that the
    draft may have in common with the original: one is common, two together begin to identify."""
    min_tokens: int | None = 8
    """A draft shorter than this and than half its original has no content."""
    likeness: float | None = 0.5
    """A draft with a lower likeness to its original is generic text, or another record. The cosine
    of all-MiniLM-L6-v2 vectors. The value is the highest multiple of 0.05 that rejects no draft of
    every second of the 600 records; of the others it rejects 1 of 300, and it accepts 1 % of the
    pairs of a record and another record's draft. For another embedder or language, measure again
    (`benchmarks/gate.py`). It needs a gate with a `Likeness`."""
    length_ratio: float | None = 2.0
    """A draft with more than this many times the tokens of its original is partly invented: the
    longest of the 600 has 1.1 times. Drafts of short originals may have `form.SHORT_TOKENS`."""
    subject_mentions: int | None = 2
    """The person whom an original names most often, and at least this many times, is its subject:
    the draft must contain the placeholder, or one of several with equal counts. The value is 2,
    because a repeated name is a topic, and a single one usually a greeting or a signature. Of 296
    drafts by rules of every second of the 600 records, the value 1 rejects 17, 2 rejects 3, and 3
    rejects none."""
    common_placeholders: bool = True
    """Whether a draft must contain every placeholder that all fields of its original contain:
    question and answer are both about it. 9 of the same 296 records have such a placeholder; no
    draft of them loses one."""
    form: bool = True
    """Whether the draft must have the fields of its original, blank where they are blank, and no
    label of a speaker inside a field whose original has none."""
    language: bool = True
    """Whether the draft must be in the language of its original, where both are clear."""
    meaning: bool = True
    """Whether each sentence of a draft must state the facts of the sentences that it comes from,
    and a field must ask where its original asks (`meaning.meaning_changes`)."""
    unverified_words: int | None = 0
    """The most words of a draft sentence that its original sentence lacks, in any form and as a
    synonym, and the most words of a rule or of advice that its draft may lack. Judged with
    `meaning`. At 0 a model's rewording is refused unless it keeps the words of the record; the page
    of the gold set of meaning shows what larger values find, and what they refuse falsely."""


IDENTIFIERS_ONLY = GateLimits(
    run_tokens=None,
    rouge_l=None,
    likeness=None,
    length_ratio=None,
    subject_mentions=None,
    common_placeholders=False,
    form=False,
    language=False,
    meaning=False,
    unverified_words=None,
)
"""For recipes that publish the wording of originals on purpose, or no record: judges identifiers,
combinations of quasi-identifiers, placeholders and emptiness only."""


def parse_limits(table: Any, where: str) -> dict[str, Limit]:
    """Parse the `[gate]` table of a policy; return the limits that it sets, by name.

    Raises:
        InputError: for an unknown limit, a value of the wrong type or out of range.
    """
    if not isinstance(table, dict):
        raise InputError(f"{where}: gate is not a table", hint="write [gate]")
    limits: dict[str, Limit] = {}
    for name, written in table.items():
        if name not in _READERS:
            hint = f"one of: {', '.join(_READERS)}"
            raise InputError(f"{where}, gate: unknown `{name}`", hint=hint)
        limits[name] = _READERS[name](written, f"{where}, gate: `{name}`")
    return limits


def _number(
    least: float, most: float = _MOST, *, whole: bool = False
) -> Callable[[Any, str], Limit]:
    def read(written: Any, what: str) -> Limit:
        if written == OFF:
            return None
        fits = type(written) is int or (type(written) is float and not whole)
        if not fits or not least <= written <= most:
            kind = "whole number" if whole else "number"
            raise InputError(f'{what} is a {kind} from {least:g} to {most:g}, or "{OFF}"')
        return written if whole else float(written)

    return read


def _switch(written: Any, what: str) -> Limit:
    if written == OFF:
        return False
    if not isinstance(written, bool):
        raise InputError(f'{what} is true, false or "{OFF}"')
    return written


_READERS: Mapping[str, Callable[[Any, str], Limit]] = {
    "run_tokens": _number(2, whole=True),
    "rouge_l": _number(0, 1),
    "order_free": _number(0, 1),
    "quasi_values": _number(0, whole=True),
    "min_tokens": _number(1, whole=True),
    "likeness": _number(0, 1),
    "length_ratio": _number(1, 100),
    "subject_mentions": _number(1, whole=True),
    "common_placeholders": _switch,
    "form": _switch,
    "language": _switch,
    "meaning": _switch,
    "unverified_words": _number(0, whole=True),
}
