"""The gate's limits: what each is for, which value it has unless a policy says otherwise.

A policy file sets its own under `[gate]`, over those of the recipe it is used with:

    [gate]
    rouge_l = 0.4
    run_tokens = 8
    likeness = "off"

Looser limits than the default need no special word: they are the owner's to choose, and stand in
the gate's fingerprint and in the report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sage_rag.common.exceptions import InputError

OFF = "off"
"""The word that leaves a measure out."""
_MOST = 100_000

Limit = float | int | bool | None
"""A limit's value; `None` (for a yes or no: `False`) leaves the measure out."""


@dataclass(frozen=True, slots=True)
class GateLimits:
    """The limits of a gate; `None` (for a yes or no: `False`) leaves a measure out.

    Private values in clear, invented placeholders and a draft without any word are findings under
    any limits.

    Source: Zeng et al. (2024), arXiv 2406.14773, §4.3 for the run of 10 tokens and ROUGE-L 0.5.
    The others are measured on rule-made drafts of 600 patient questions with their answers.
    """

    run_tokens: int | None = 10
    """A shared run of this many tokens counts as repeated text."""
    rouge_l: float | None = 0.5
    """ROUGE-L F above this counts as the same text again."""
    quasi_values: int | None = 1
    """How many distinct ages, dates and other values that identify in combination may stand in the
    draft as they were in the original: one alone is common, two together begin to single out."""
    min_tokens: int | None = 8
    """A draft shorter than this and than half its original answers for nothing."""
    likeness: float | None = 0.5
    """A draft whose likeness to its original is under this does not answer for it: it is empty
    talk, or another record. A cosine of all-MiniLM-L6-v2 vectors, chosen on every second of the 600
    records as the highest step of 0.05 that rejects none of their drafts; on the others it rejects
    1 of 300, and lets 1 % of the pairs of a record and another's draft pass. With another embedder,
    or in another language than English, measure anew (`benchmarks/gate.py`). Judged only where the
    gate is given a `Likeness`."""
    length_ratio: float | None = 2.0
    """A draft of more than this many times its original's tokens was made up in part: the longest
    of the 600 was 1.1 times as long. Short originals may grow to `form.SHORT_TOKENS`."""
    subject_mentions: int | None = 2
    """The person whom an original names most often, and at least so many times, is its subject and
    must stand in the draft; of several named equally often, one. Two, because a name that comes
    back is spoken about; one that comes once is most often a greeting or a signature, and with one,
    17 of 296 rule-made drafts of every second of the 600 records would fall. With two, 3 do, with
    three, none."""
    common_placeholders: bool = True
    """Whether a draft must hold what every field of its original names, whatever its type: question
    and answer both speak of it, so that the one is not understood without it. 9 of the same 296
    records have such a placeholder, and no draft of theirs loses one."""
    form: bool = True
    """Whether the draft must have its original's fields, blank ones blank and others not, and no
    speaker of a dialogue announced inside a field where the original announces none."""
    language: bool = True
    """Whether the draft must be in its original's language, where both can be told."""


IDENTIFIERS_ONLY = GateLimits(
    run_tokens=None,
    rouge_l=None,
    likeness=None,
    length_ratio=None,
    subject_mentions=None,
    common_placeholders=False,
    form=False,
    language=False,
)
"""For recipes that publish originals' wording on purpose, or no record at all: identifiers,
combinations of quasi-identifiers, placeholders and emptiness are all that is judged."""


def parse_limits(table: Any, where: str) -> dict[str, Limit]:
    """Read a policy's `[gate]`: limits by name, only those that it sets.

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


def _whole(least: int) -> Callable[[Any, str], Limit]:
    def read(written: Any, what: str) -> Limit:
        if written == OFF:
            return None
        if type(written) is not int or not least <= written <= _MOST:
            raise InputError(f'{what} is a whole number from {least} to {_MOST}, or "{OFF}"')
        return written

    return read


def _number(least: float, most: float) -> Callable[[Any, str], Limit]:
    def read(written: Any, what: str) -> Limit:
        if written == OFF:
            return None
        if type(written) not in (int, float) or not least <= written <= most:
            raise InputError(f'{what} is a number from {least:g} to {most:g}, or "{OFF}"')
        return float(written)

    return read


def _switch(written: Any, what: str) -> Limit:
    if written == OFF:
        return False
    if not isinstance(written, bool):
        raise InputError(f'{what} is true, false or "{OFF}"')
    return written


_READERS: Mapping[str, Callable[[Any, str], Limit]] = {
    "run_tokens": _whole(2),
    "rouge_l": _number(0, 1),
    "quasi_values": _whole(0),
    "min_tokens": _whole(1),
    "likeness": _number(0, 1),
    "length_ratio": _number(1, 100),
    "subject_mentions": _whole(1),
    "common_placeholders": _switch,
    "form": _switch,
    "language": _switch,
}
