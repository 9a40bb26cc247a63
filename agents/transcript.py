"""The turns of one record's refinement, kept for the owner without plain identifiers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, TypeAdapter

from sage_rag.agents.protocols import Draft, Review
from sage_rag.privacy.gate.findings import Finding, FindingKind, Verdict

HIDDEN = "[…]"
"""Replaces in a transcript what the gate found private."""
_HARMLESS = (
    *(FindingKind.SHARED_RUN, FindingKind.UNKNOWN_PLACEHOLDER),
    *(FindingKind.MEANING_CHANGED, FindingKind.QUESTION_LOST, FindingKind.UNVERIFIED_REWORDING),
)
"""Findings whose place holds no private value; every other place is hidden."""
_PASSES = 8
"""The gate names only the first place of each value, so a text is judged again until nothing is
found. After this many passes the whole text is hidden."""

Judge = Callable[[Draft], Awaitable[Verdict]]
"""The gate for one record; equal drafts get equal verdicts."""


class Speaker(StrEnum):
    """The speakers in the refinement of one record."""

    GENERATOR = "generator"
    GATE = "gate"
    REVIEWER = "reviewer"
    ADVERSARY = "adversary"
    REWRITER = "rewriter"


class TranscriptTurn(BaseModel):
    """The contribution of one speaker: a draft, the gate's verdict, or a review.

    `round` counts rewrites: the generator's draft and its judgments have round 0. An adversary's
    findings are a review, too. `stop`: why a speaker ends the refinement.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    round: int
    speaker: Speaker
    draft: Draft | None = None
    verdict: Verdict | None = None
    review: Review | None = None
    stop: str | None = None


Transcript = tuple[TranscriptTurn, ...]
_TRANSCRIPT: TypeAdapter[Transcript] = TypeAdapter(Transcript)


def transcript_to_json(transcript: Transcript) -> str:
    """Return a transcript as one line of JSON: a list of turns, without fields at their default."""
    return _TRANSCRIPT.dump_json(transcript, exclude_defaults=True).decode()


async def hide_values(turns: Iterable[TranscriptTurn], judge: Judge) -> Transcript:
    """Hide what the gate finds private in refused drafts and in suggestions.

    Guarantees: the transcript holds no value that this gate finds, apart from values that it allows
    in a draft. Findings about a changed text lose their places.
    Does not guarantee: that a value is hidden that neither the recognizer nor the gate finds.
    """
    turns = list(turns)
    clean = {t.round for t in turns if t.verdict and not _private(t.verdict.findings)}
    return tuple([await _hidden_turn(turn, turn.round in clean, judge) for turn in turns])


async def judged_alone(draft: Draft, verdict: Verdict, judge: Judge) -> Transcript:
    """Return the transcript of a draft that the gate judged and no agent; see `hide_values`."""
    turns = [
        TranscriptTurn(round=0, speaker=Speaker.GENERATOR, draft=draft),
        TranscriptTurn(round=0, speaker=Speaker.GATE, verdict=verdict),
    ]
    return await hide_values(turns, judge)


async def _hidden_turn(turn: TranscriptTurn, clean: bool, judge: Judge) -> TranscriptTurn:
    if turn.draft is not None and not clean:
        return turn.model_copy(update={"draft": Draft(await _hidden(turn.draft.fields, judge))})
    if turn.verdict is not None and not clean:
        findings = tuple(replace(f, start=None, end=None) for f in turn.verdict.findings)
        return turn.model_copy(update={"verdict": replace(turn.verdict, findings=findings)})
    if turn.review is not None and turn.review.suggestions:
        said = {str(i): text for i, text in enumerate(turn.review.suggestions)}
        suggestions = tuple((await _hidden(said, judge)).values())
        return turn.model_copy(update={"review": replace(turn.review, suggestions=suggestions)})
    return turn


async def _hidden(fields: Mapping[str, str], judge: Judge) -> dict[str, str]:
    for _ in range(_PASSES):
        found = _private((await judge(Draft(fields))).findings)
        changed = hide_places(fields, [(f.start or 0, f.end or 0) for f in found])
        if changed == fields:
            return dict(fields)
        fields = changed
    return dict.fromkeys(fields, HIDDEN)


def _private(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings whose place may hold a private value."""
    return [f for f in findings if f.start is not None and f.kind not in _HARMLESS]


def hide_places(fields: Mapping[str, str], places: Sequence[tuple[int, int]]) -> dict[str, str]:
    """Return the fields with `HIDDEN` instead of places, which are those of the joined text."""
    if not places:
        return dict(fields)
    changed, offset = {}, 0
    for name, text in fields.items():
        marked = [False] * len(text)
        for start, end in places:
            for i in range(max(start - offset, 0), min(end - offset, len(text))):
                marked[i] = True
        changed[name] = _mask(text, marked)
        offset += len(text) + 1  # `join_fields` puts a line break between fields
    return changed


def _mask(text: str, marked: Sequence[bool]) -> str:
    pieces: list[str] = []
    for i, character in enumerate(text):
        if not marked[i]:
            pieces.append(character)
        elif not i or not marked[i - 1]:
            pieces.append(HIDDEN)
    return "".join(pieces)
