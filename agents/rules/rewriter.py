"""The rewriter: answers the gate's findings and the reviewer's suggestions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from math import ceil

from sage_rag.agents.lexicon import words
from sage_rag.agents.protocols import Draft, Review
from sage_rag.agents.rules.page import Page, Place
from sage_rag.agents.rules.reviewer import LEAVE_OUT
from sage_rag.privacy.gate.findings import FindingKind, Verdict
from sage_rag.privacy.gate.limits import GateLimits

_QUOTED = re.compile(r"“([^”]+)”")
_LEFT_OUT = (
    FindingKind.MEANING_CHANGED,
    FindingKind.UNVERIFIED_REWORDING,
    FindingKind.IDENTIFIER,
    FindingKind.UNPROTECTED,
    FindingKind.UNKNOWN_PLACEHOLDER,
)

_ALLOWED = GateLimits().quasi_values or 0
"""How many of the values that identify in combination may stay; under a stricter policy the gate
finds those, too, and they are removed one round later."""
_SIMILAR = GateLimits().rouge_l or 0.5
_WORDS_PER_SIMILARITY = 1.2
"""Words to drop per word of draft and unit of ROUGE-L F over the limit: F = 2L / (m + n); if every
dropped word is a common one, d = (F - 0.5)(m + n) / 1.5 with n about 0.8 m."""
_LEAST_OVER = 0.04
"""Likeness is reduced as if it exceeded the limit by at least this much, to save rounds."""


class RuleRewriter:
    """Revise a draft by findings and suggestions alone; it never sees the original.

    Every round leaves out or rewords something: whole sentences with private values, with values
    that identify in combination, with another meaning than the record's, and with what the reviewer
    objects to. Repeated runs are reworded where an edit can break them. To reduce likeness, items
    are left out. Deterministic.

    Source: Zeng et al. (2024), arXiv 2406.14773, §3.2. Differs: rules; sees no original.
    """

    async def rewrite(self, draft: Draft, review: Review, verdict: Verdict) -> Draft:
        """Return the revised draft, with the same fields."""
        page = Page(draft)
        for place in _merge(_places(verdict, [FindingKind.SHARED_RUN])):
            page.break_run(place)
        left_out = [*_places(verdict, _LEFT_OUT), *_quoted(draft.text, review)]
        for place in [*left_out, *_combined(verdict)]:
            page.leave_out(place)
        if any(finding.kind is FindingKind.SIMILARITY for finding in verdict.findings):
            over = max(verdict.rouge_l - _SIMILAR, _LEAST_OVER)
            size = len(words(draft.text))
            page.shorten(ceil(over * _WORDS_PER_SIMILARITY * size) - max(size - page.size(), 0))
        return page.draft()


def _places(verdict: Verdict, kinds: Collection[FindingKind]) -> list[Place]:
    """Return the places of findings of some kinds."""
    found = [(f.start, f.end) for f in verdict.findings if f.kind in kinds]
    return [(start, end) for start, end in found if start is not None and end is not None]


def _quoted(text: str, review: Review) -> Iterator[Place]:
    """Yield the places of what a review quotes to leave out."""
    for suggestion in review.suggestions:
        if suggestion.startswith(LEAVE_OUT):
            for match in _QUOTED.finditer(suggestion):
                start = text.find(match.group(1))
                if start >= 0:
                    yield start, start + len(match.group(1))


def _combined(verdict: Verdict) -> list[Place]:
    """Return the places of values that identify in combination, except those that may stay."""
    found = _places(verdict, [FindingKind.QUASI_COMBINATION])
    return found[_ALLOWED:] or found


def _merge(places: Sequence[Place]) -> list[Place]:
    """Return places in order, with overlapping ones merged."""
    merged: list[Place] = []
    for start, end in sorted(places):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
