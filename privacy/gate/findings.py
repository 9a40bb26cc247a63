"""Findings of the gate about a draft, and hints for a rewriter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from sage_rag.privacy.spans import Span


class FindingKind(StrEnum):
    """The kind of a finding."""

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
    MEANING_CHANGED = "meaning-changed"
    UNVERIFIED_REWORDING = "unverified-rewording"
    QUESTION_LOST = "question-lost"
    UNSUPPORTED_DETAIL = "unsupported-detail"
    TOO_FEW_SUBJECTS = "too-few-subjects"


HINTS: Mapping[FindingKind, str] = {
    FindingKind.IDENTIFIER: "leave the value out, or write the record's placeholder for it",
    FindingKind.SHARED_RUN: "put its parts in another order, or leave one of them out",
    FindingKind.SIMILARITY: "leave more sentences out, and put parts of others in another order",
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
    FindingKind.MEANING_CHANGED: "state the fact as the record does, with its condition, negation, "
    "number and side, or leave the whole sentence out",
    FindingKind.UNVERIFIED_REWORDING: "keep the words of the record's sentence in another order or "
    "form, all of them, or leave the whole sentence out",
    FindingKind.UNSUPPORTED_DETAIL: "write only what the statements say, in their words",
    FindingKind.TOO_FEW_SUBJECTS: "merge the topic with another one",
    FindingKind.QUESTION_LOST: "ask what the record asks, as a question",
}
"""A hint for each kind; the same for every record, so that no hint contains a value."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason why a draft does not pass.

    `message` contains no plain value. `[start, end)`: the position in the draft, where known.
    """

    kind: FindingKind
    message: str
    start: int | None = None
    end: int | None = None

    @property
    def hint(self) -> str:
        """How a rewriter can correct the draft."""
        return HINTS[self.kind]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of the gate for one draft.

    `longest_run`: in tokens. `rouge_l`: F in [0, 1]. `likeness`: `None` where it was not measured,
    as for a draft with another finding. `order_free`: ROUGE-Lsum F in [0, 1]. `quasi`: where the
    joined draft shows quasi-identifying values in clear; `None` where no recognizer read it.
    """

    findings: tuple[Finding, ...]
    longest_run: int
    rouge_l: float
    likeness: float | None = None
    order_free: float = 0.0
    quasi: tuple[Span, ...] | None = None

    @property
    def safe(self) -> bool:
        """Whether there is no finding, so that the draft may be published."""
        return not self.findings
