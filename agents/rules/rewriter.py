"""The rewriter: answers the gate's findings and the reviewer's suggestions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import ceil

from agents.protocols import Draft, Review
from agents.rules.lexicon import words
from agents.rules.page import Page, Place
from agents.rules.reviewer import LEAVE_OUT, REWORD, SHORTEN
from privacy.gate import FindingKind, GateLimits, Verdict

_QUOTED = re.compile(r"“([^”]+)”")
_PRIVATE = (FindingKind.IDENTIFIER, FindingKind.UNPROTECTED, FindingKind.QUASI_COMBINATION)

_SIMILAR = GateLimits().rouge_l or 0.5
_WORDS_PER_SIMILARITY = 1.2
"""Words to drop per word of draft and unit of ROUGE-L F over the limit: F = 2L / (m + n), and a
dropped word is taken to be a common one, so d = (F - 0.5)(m + n) / 1.5 with n about 0.8 m."""
_LEAST_OVER = 0.04
"""Likeness is cut as if it were at least this much over the limit, so that rounds are few."""


class RuleRewriter:
    """Revise a draft by findings and suggestions alone; it never sees the original.

    Every round takes something away or says it otherwise: private values and what the reviewer
    wants left out go with their sentence, repeated runs are reworded or else cut, likeness is cut
    by the least salient sentences. Deterministic.

    Source: Zeng et al. (2024), arXiv 2406.14773, §3.2. Differs: rules; sees no original.
    """

    async def rewrite(self, draft: Draft, review: Review, verdict: Verdict) -> Draft:
        """Return the revised draft, with the same fields."""
        page = Page(draft)
        private, runs = _places(draft.text, review, verdict)
        for place in private:
            page.leave_out(place)
        for place in reversed(_merge(runs)):
            page.break_run(place)
        for finding in verdict.findings:
            if finding.kind is FindingKind.UNKNOWN_PLACEHOLDER:
                page.name_generally((finding.start or 0, finding.end or 0))
        if verdict.rouge_l > _SIMILAR or any(s.startswith(SHORTEN) for s in review.suggestions):
            over = max(verdict.rouge_l - _SIMILAR, _LEAST_OVER)
            size = len(words(draft.text))
            page.shorten(ceil(over * _WORDS_PER_SIMILARITY * size) - max(size - page.size(), 0))
            page.turn_round()
        return page.draft()


def _places(text: str, review: Review, verdict: Verdict) -> tuple[list[Place], list[Place]]:
    """Return where something private stands and where something is repeated."""
    private: list[Place] = []
    runs: list[Place] = []
    for finding in verdict.findings:
        if finding.start is not None and finding.end is not None:
            if finding.kind in _PRIVATE:
                private.append((finding.start, finding.end))
            elif finding.kind is FindingKind.SHARED_RUN:
                runs.append((finding.start, finding.end))
    for suggestion in review.suggestions:
        found = private if suggestion.startswith(LEAVE_OUT) else runs
        if suggestion.startswith((LEAVE_OUT, REWORD)):
            for match in _QUOTED.finditer(suggestion):
                start = text.find(match.group(1))
                if start >= 0:
                    found.append((start, start + len(match.group(1))))
    return private, runs


def _merge(places: Sequence[Place]) -> list[Place]:
    """Return places in order, those that overlap as one."""
    merged: list[Place] = []
    for start, end in sorted(places):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
