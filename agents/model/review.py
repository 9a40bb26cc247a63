"""Stage 2 by a language model: the reviewer with its verdict on six aspects, and the rewriter.

Source: Zeng et al. (2024), arXiv 2406.14773, §3.2, A.1.2, A.16, Tables 15 and 16. Differs: the
model reads placeholders, never a plain identifier; the rewriter sees neither the original nor its
wording in a suggestion.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Literal

from pydantic import BeforeValidator

from sage_rag.agents.chat.protocols import ChatModel
from sage_rag.agents.chat.structured import (
    NonBlankText,
    StructuredAnswer,
    as_json,
    ask,
    placeholder_complaint,
    record_model,
    shape_of,
    values_of,
)
from sage_rag.agents.prompts import prompt
from sage_rag.agents.protocols import Draft, Review
from sage_rag.privacy.gate.findings import Finding, FindingKind, Verdict
from sage_rag.privacy.gate.leakage import Original
from sage_rag.privacy.protect import ProtectedText
from sage_rag.privacy.tokens import placeholders_in
from sage_rag.privacy.words import tokenize

VERSION = 3
"""Raised with every change of the questions of stage 2 or of how answers are read."""

_WORDING = 5
"""From this many words in a row a suggestion repeats the original: as many as our prompts forbid a
draft to share with it."""

_STANDARD_SUGGESTIONS = {
    "direct_identifiers": "leave out every name, contact, number and address in clear",
    "sensitive_attributes": "leave out what is intimate and not needed for the matter in hand",
    "context": "coarsen places, times, employers and events",
    "linkage": "leave out or coarsen some of the details that together point at one person",
    "consistency": "bring the record back to its matter, without contradictions",
    "recovery": "say it in other words and another order",
}
"""The suggestion of each aspect that replaces one of the model's that repeats the original."""


class Objection(StructuredAnswer):
    """What is wrong with one aspect of a draft, and what to change."""

    suggestion: NonBlankText
    quote: str | None = None


def _fold(value: object) -> object:
    """Return "ok" for "OK.": models write both."""
    return value.strip(" .").casefold() if isinstance(value, str) else value


Aspect = Annotated[Literal["ok"] | Objection, BeforeValidator(_fold)]


class ReviewAnswer(StructuredAnswer):
    """The verdict on the six aspects, all of them required."""

    direct_identifiers: Aspect
    sensitive_attributes: Aspect
    context: Aspect
    linkage: Aspect
    consistency: Aspect
    recovery: Aspect


class ModelReview:
    """Reviewer and rewriter over one `ChatModel`; calls are independent of each other.

    `domain_advice`: what a domain add-on adds to the review (paper A.10).

    Raises, from both: `AgentOutputError` for answers that do not fit, twice; `UpstreamError`.
    """

    def __init__(self, model: ChatModel, domain_advice: str = "") -> None:
        self._model = model
        self._domain = f"\n{domain_advice.strip()}\n" if domain_advice.strip() else ""

    @cached_property
    def _reviewing(self) -> str:
        return prompt("review").substitute(domain=self._domain)

    async def review(self, record: ProtectedText, draft: Draft) -> Review:
        """Judge a draft on the six aspects.

        Guarantees: a quote in a suggestion occurs in the draft; no suggestion repeats five words in
        a row of the record that the draft does not hold.
        """
        pair = f"ORIGINAL\n{as_json(record.fields)}\n\nDRAFT\n{as_json(draft.fields)}"
        answer = await ask(self._model, self._reviewing, pair, ReviewAnswer, stage="review")
        suggestions = tuple(_suggestions(answer, record.text, draft.text))
        return Review(not suggestions, suggestions)

    async def rewrite(self, draft: Draft, review: Review, verdict: Verdict) -> Draft:
        """Revise a draft by the review's suggestions and the gate's findings.

        Blank fields stay blank: a draft of a model has those of its record.
        """
        filled = [name for name, text in draft.fields.items() if text.strip()]
        system = prompt("rewrite").substitute(
            shape=shape_of(filled),
            domain=self._domain,
        )
        findings = [*review.suggestions, *(_describe(f, draft.text) for f in verdict.findings)]
        listed = "\n".join(f"- {finding}" for finding in findings)
        request = f"{as_json(draft.fields)}\n\nFindings:\n{listed}"
        wanted = (f.message for f in verdict.findings if f.kind is FindingKind.LOST_PLACEHOLDER)
        given = placeholders_in(" ".join([draft.text, *wanted]))

        def invented(answer: StructuredAnswer) -> str | None:
            text = "\n".join(values_of(answer).values())
            return placeholder_complaint(given & placeholders_in(text), text)

        shape = record_model(filled)
        answer = await ask(self._model, system, request, shape, stage="rewrite", check=invented)
        return Draft({**draft.fields, **values_of(answer)})


def _suggestions(answer: ReviewAnswer, record: str, draft: str) -> Iterator[str]:
    objections = {name: o for name, o in values_of(answer).items() if isinstance(o, Objection)}
    if not objections:
        return
    original, written = Original(record), Original(draft)
    for aspect, objection in objections.items():
        suggestion = " ".join(objection.suggestion.split())
        if _repeats(suggestion, original, written):
            suggestion = _STANDARD_SUGGESTIONS[aspect]
        place = f": {quote_line(objection.quote)}" if occurs(objection.quote, written) else ""
        yield f"{aspect.replace('_', ' ')}: {suggestion}{place}"


def _repeats(suggestion: str, record: Original, draft: Original) -> bool:
    """Return whether a suggestion repeats words of the record that the draft does not hold."""
    for run in record.shared_runs(suggestion, at_least=_WORDING):
        if draft.longest_shared_run(suggestion[run.start : run.end]) < run.tokens:
            return True
    return False


def occurs(quote: str | None, draft: Original) -> bool:
    """Return whether a quote occurs in a draft, word for word."""
    tokens = tokenize(quote or "")
    return bool(tokens) and draft.longest_shared_run(quote or "") == len(tokens)


def _describe(finding: Finding, text: str) -> str:
    said = f"{finding.message}; {finding.hint}"
    if finding.start is None:
        return said
    return f"the draft {said}: {quote_line(text[finding.start : finding.end])}"


def quote_line(text: str | None) -> str:
    """Return a quotation on one line, so that it cannot end the list of findings."""
    return json.dumps(text, ensure_ascii=False)
