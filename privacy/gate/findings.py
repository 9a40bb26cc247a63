"""What the gate can find wrong with a draft, and what a rewriter can do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class FindingKind(StrEnum):
    """What can be wrong with a draft."""

    IDENTIFIER = "identifier"
    SHARED_RUN = "shared-run"
    SIMILARITY = "similarity"
    QUASI_COMBINATION = "quasi-combination"
    UNKNOWN_PLACEHOLDER = "unknown-placeholder"
    UNPROTECTED = "unprotected"
    EMPTY = "empty"
    UNLIKE = "unlike"
    LOST_PLACEHOLDER = "lost-placeholder"
    FORM = "form"
    LANGUAGE = "language"
    LENGTH = "length"


HINTS: Mapping[FindingKind, str] = {
    FindingKind.IDENTIFIER: "leave the value out, or write the record's placeholder for it",
    FindingKind.SHARED_RUN: "say it in other words and another order",
    FindingKind.SIMILARITY: "tell it more shortly, in other words and another order",
    FindingKind.QUASI_COMBINATION: "leave out all such values but one, or make them coarser",
    FindingKind.UNKNOWN_PLACEHOLDER: "use only the record's placeholders; else say `the patient`, "
    "`a clinic` or what fits",
    FindingKind.UNPROTECTED: "make up no names, numbers or addresses; leave it out",
    FindingKind.EMPTY: "tell what the record is about: the matter, the question, the advice",
    FindingKind.UNLIKE: "stay with this record: name its matter (the complaint, the dispute), the "
    "circumstances and the answer, not general advice",
    FindingKind.LOST_PLACEHOLDER: "let whom or what it stands for appear by that placeholder",
    FindingKind.FORM: "keep the record's fields, every one filled that the record fills, each with "
    "its own speaker's words alone",
    FindingKind.LANGUAGE: "write in the record's language",
    FindingKind.LENGTH: "tell no more than the record tells",
}
"""What to do about each kind; the same for every record, so that no hint can hold a value."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason why a draft does not pass.

    `message` holds no plain value. `[start, end)` is the place in the draft, where there is one.
    """

    kind: FindingKind
    message: str
    start: int | None = None
    end: int | None = None

    @property
    def hint(self) -> str:
        """What a rewriter, rules or model, can do about it."""
        return HINTS[self.kind]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate measured. `safe` when there is no finding.

    `longest_run` in tokens; `rouge_l` is F in [0, 1]; `likeness` is `None` where it was not asked
    for, as for a draft that another finding speaks against.
    """

    findings: tuple[Finding, ...]
    longest_run: int
    rouge_l: float
    likeness: float | None = None

    @property
    def safe(self) -> bool:
        """Whether the draft may be published."""
        return not self.findings
