"""Transcripts: what they keep, what they hide, and that they come back from JSON."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import TypeAdapter

from sage_rag.agents.protocols import Draft, Review
from sage_rag.agents.transcript import (
    HIDDEN,
    Speaker,
    Transcript,
    TranscriptTurn,
    hide_values,
    transcript_to_json,
)
from sage_rag.privacy.gate.findings import Finding, FindingKind, Verdict
from tests.agents.refining import COPY, NAMES, REVIEWED, gate


def said(draft: Draft) -> list[TranscriptTurn]:
    return [
        TranscriptTurn(round=0, speaker=Speaker.GENERATOR, draft=draft),
        TranscriptTurn(round=0, speaker=Speaker.GATE, verdict=asyncio.run(gate(draft))),
    ]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Novak rang. Ada Novak rang again, and NOVAK too.", f"{HIDDEN} rang. "),
        ("In Lindhagen, twice in Lindhagen or LINDHAGEN.", "or"),
        ("A. Novak came with Ada.", "came with"),
    ],
)
def test_every_spelling_of_every_occurrence_is_hidden(text: str, kept: str) -> None:
    draft = Draft({"question": text, "answer": text})
    shown, judged = asyncio.run(hide_values(said(draft), gate))
    assert shown.draft is not None
    assert kept in shown.draft.fields["question"]
    assert kept in shown.draft.fields["answer"]
    written = transcript_to_json((shown, judged))
    assert [
        n for name in NAMES for n in name.split() if n in ("Ada", "Novak") and n in written
    ] == []
    assert "indhagen" not in written.casefold()


def test_places_are_left_out_of_findings_about_a_changed_text() -> None:
    draft = Draft({"question": "Novak again", "answer": "Lindhagen"})
    _, judged = asyncio.run(hide_values(said(draft), gate))
    assert judged.verdict is not None
    assert {(f.start, f.end) for f in judged.verdict.findings} == {(None, None)}


def test_suggestions_are_looked_through_too() -> None:
    turn = TranscriptTurn(
        round=0, speaker=Speaker.REVIEWER, review=Review(False, ("drop Novak", "shorten"))
    )
    (shown,) = asyncio.run(hide_values([turn], gate))
    assert shown.review == Review(False, (f"drop {HIDDEN}", "shorten"))


def test_a_draft_that_nobody_judged_is_looked_through() -> None:
    (shown,) = asyncio.run(hide_values(said(Draft({"question": "Novak", "answer": "x"}))[:1], gate))
    assert shown.draft == Draft({"question": HIDDEN, "answer": "x"})


def test_a_text_in_which_something_is_always_found_is_hidden_whole() -> None:
    async def judge(draft: Draft) -> Verdict:
        end = len(draft.text)
        return Verdict((Finding(FindingKind.UNPROTECTED, "holds a PERSON", end - 1, end),), 0, 0.0)

    turn = TranscriptTurn(
        round=0, speaker=Speaker.GENERATOR, draft=Draft({"a": "one", "b": "twelve words"})
    )
    (shown,) = asyncio.run(hide_values([turn], judge))
    assert shown.draft == Draft({"a": HIDDEN, "b": HIDDEN})


def test_a_shared_run_is_kept_with_its_place() -> None:
    turns = tuple(said(REVIEWED))
    assert asyncio.run(hide_values(turns, gate)) == turns
    verdict = Verdict((Finding(FindingKind.SHARED_RUN, "repeats", 0, 5),), 12, 0.4)
    turns = (turns[0], TranscriptTurn(round=0, speaker=Speaker.GATE, verdict=verdict))
    assert asyncio.run(hide_values(turns, gate)) == turns


def test_json_gives_every_turn_back() -> None:
    turns = (
        *asyncio.run(hide_values(said(COPY), gate)),
        TranscriptTurn(round=0, speaker=Speaker.REVIEWER, review=Review(False, ("“quoted”\n",))),
        TranscriptTurn(round=1, speaker=Speaker.REWRITER, stop="failed"),
    )
    written = transcript_to_json(turns)
    assert "\n" not in written
    assert "null" not in written
    assert TypeAdapter(Transcript).validate_json(written) == turns
