"""The reviewer: SAGE's six aspects of privacy, as far as rules can see them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sage_rag.agents.lexicon import content_stems, lexicon
from sage_rag.agents.protocols import Draft, Review
from sage_rag.privacy.protect import ProtectedText
from sage_rag.privacy.tokens import PLACEHOLDER

LEAVE_OUT = "Leave out"
"""The beginning of a suggestion that quotes, in “ ”, what to leave out."""

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
"""From this many kinds of quasi-identifier on, a draft counts as linkable to one person."""

_MATTER = 2
"""A record that names something sensitive at least this often is about it."""
_SHARED_SUBSTANCE = 0.15
"""Least share of the record's content words that a draft about it must hold."""


class RuleReviewer:
    """Judge a draft against its protected original by six aspects.

    Direct identifiers, sensitive attributes, rare context, linkage of quasi-identifiers, semantic
    consistency. The sixth, recovery of the original, is the gate's: it measures shared wording
    against the plain original, by its limits.

    Source: Zeng et al. (2024), arXiv 2406.14773, A.1.2, Table 16. Differs: patterns, no model.
    """

    async def review(self, record: ProtectedText, draft: Draft) -> Review:
        """Return whether the draft is safe, or suggestions."""
        text = draft.text
        suggestions = tuple(
            dict.fromkeys(
                [
                    *_private_places(text, record.text),
                    *_linkage(text),
                    *_inconsistency(record.text, text),
                ]
            )
        )
        return Review(not suggestions, suggestions)


def _private_places(text: str, record: str) -> Iterator[str]:
    """Yield what to leave out; a sensitive word that a record repeats is its subject and stays."""
    known = lexicon()
    clear = PLACEHOLDER.sub(lambda match: " " * len(match.group()), text)
    for pattern, reason in (
        (known.direct, "it identifies a person"),
        (known.sensitive, "it is sensitive beyond the matter in hand"),
        (known.rare, "it may single a person out"),
    ):
        if pattern is known.sensitive and len(pattern.findall(record)) >= _MATTER:
            continue
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
