"""Stages 1 and 2 for one record: draft, then review and rewrite until reviewer and gate agree.

Source: Zeng et al. (2024), arXiv 2406.14773, §3. Differs: the gate has the last word, the
rewriter never sees the original, and what is still unsafe after the last round is not used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agents.protocols import Attributes, Draft, Review, Roles
from privacy.gate import Verdict
from privacy.protect import ProtectedText

MAX_ROUNDS = 5
"""As the authors' code; their average was 2.7 (chat) and 3.5 (wiki) rounds, Table 7."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a record ended. `draft` may be published only if `safe`.

    `rounds` counts rewrites; `reasons` are the last round's findings, without plain values.
    """

    draft: Draft
    safe: bool
    rounds: int
    longest_run: int
    rouge_l: float
    reasons: tuple[str, ...]


async def synthesize(
    record: ProtectedText,
    attributes: Attributes,
    roles: Roles,
    judge: Callable[[Draft], Verdict],
    *,
    max_rounds: int = MAX_ROUNDS,
) -> Outcome:
    """Turn one protected record into a synthetic one; `judge` is the gate for this record."""
    extraction = await roles.extractor.extract(record, attributes)
    draft = await roles.generator.generate(extraction, attributes)
    return await refine(record, draft, roles, judge, max_rounds=max_rounds)


async def refine(
    record: ProtectedText,
    draft: Draft,
    roles: Roles,
    judge: Callable[[Draft], Verdict],
    *,
    max_rounds: int = MAX_ROUNDS,
) -> Outcome:
    """Review and rewrite a draft until reviewer and gate agree, or the rounds are used up."""
    rounds = 0
    while True:
        verdict, review = judge(draft), await roles.reviewer.review(record, draft)
        if (verdict.safe and review.safe) or rounds == max_rounds:
            return _outcome(draft, verdict, review, rounds)
        draft = await roles.rewriter.rewrite(draft, review, verdict)
        rounds += 1


def _outcome(draft: Draft, verdict: Verdict, review: Review, rounds: int) -> Outcome:
    kinds = [finding.kind.value for finding in verdict.findings]
    reasons = tuple(dict.fromkeys([*kinds, *([] if review.safe else ["reviewer"])]))
    safe = verdict.safe and review.safe
    return Outcome(draft, safe, rounds, verdict.longest_run, verdict.rouge_l, reasons)
