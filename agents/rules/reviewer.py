"""The reviewer: SAGE's six aspects of privacy, as far as rules can see them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.protocols import Draft, Review
from agents.rules.lexicon import content_stems, lexicon
from privacy.gate import GateLimits
from privacy.leakage import Original
from privacy.protect import ProtectedText
from privacy.tokens import PLACEHOLDER

LEAVE_OUT = "Leave out"
REWORD = "Reword"
SHORTEN = "Shorten"
"""The verbs with which a suggestion begins; what it is about follows in “ ”."""

_QUASI = {
    "an age": re.compile(r"\b\d{1,3}(?:-\d{1,3})?[- ]years?[- ]old\b|\baged? \d", re.IGNORECASE),
    "a date": re.compile(
        r"\b(?:january|february|march|april|may|june|july|august|september|october|november"
        r"|december) \d{2,4}\b|\bin (?:19|20)\d\d\b",
        re.IGNORECASE,
    ),
    "an occupation": re.compile(r"\bI (?:work|serve|teach) (?:as|at|for|in)\b", re.IGNORECASE),
    "a family": re.compile(r"\bmother of \w+|father of \w+|\b\w+ children\b", re.IGNORECASE),
}
_LINKABLE = 3
"""From how many kinds of quasi-identifier on a draft is held to link to one person."""

_SHARED_SUBSTANCE = 0.15
"""Least share of the record's content words that a draft must hold to still be about it."""


class RuleReviewer:
    """Judge a draft against its protected original by six aspects.

    Direct identifiers, sensitive attributes, rare context, linkage of quasi-identifiers, semantic
    consistency, recovery of the original. The gate measures again, against the plain original.

    Source: Zeng et al. (2024), arXiv 2406.14773, A.1.2, Table 16. Differs: patterns, no model.
    """

    def __init__(self, limits: GateLimits | None = None) -> None:
        self._limits = limits or GateLimits()

    async def review(self, record: ProtectedText, draft: Draft) -> Review:
        """Return whether the draft is safe in the reviewer's eyes, or suggestions in words."""
        text = draft.text
        original = Original(record.text)
        suggestions = tuple(
            dict.fromkeys(
                [
                    *_private_places(text),
                    *_linkage(text),
                    *self._recovery(original, text),
                    *_inconsistency(record.text, text),
                ]
            )
        )
        return Review(not suggestions, suggestions)

    def _recovery(self, original: Original, text: str) -> Iterator[str]:
        limits = self._limits
        if limits.run_tokens is not None:
            for run in original.shared_runs(text, at_least=limits.run_tokens):
                yield f"{REWORD} “{text[run.start : run.end]}”: it repeats the record"
        if limits.rouge_l is not None:
            similarity = original.rouge_l(text).f1
            if similarity > limits.rouge_l:
                yield f"{SHORTEN} the draft: similarity with the record is {similarity:.2f}"


def _private_places(text: str) -> Iterator[str]:
    known = lexicon()
    clear = PLACEHOLDER.sub(lambda match: " " * len(match.group()), text)
    for pattern, reason in (
        (known.direct, "it identifies a person"),
        (known.sensitive, "it is sensitive beyond the matter in hand"),
        (known.rare, "it may single a person out"),
    ):
        for match in pattern.finditer(clear):
            yield f"{LEAVE_OUT} “{match.group().strip()}”: {reason}"


def _linkage(text: str) -> Iterator[str]:
    found = {name: match for name, p in _QUASI.items() if (match := p.search(text))}
    if len(found) >= _LINKABLE:
        names = ", ".join(found)
        last = list(found.values())[-1]
        yield f"{LEAVE_OUT} “{last.group()}”: together {names} may point at one person"


def _inconsistency(record: str, draft: str) -> Iterator[str]:
    wanted = set(content_stems(record))
    if wanted and len(wanted & set(content_stems(draft))) < _SHARED_SUBSTANCE * len(wanted):
        yield "Keep more of the matter: the draft hardly speaks of what the record is about"
