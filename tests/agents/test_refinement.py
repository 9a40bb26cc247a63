"""Who speaks when, and how a record ends: the same for the plain loop and for the team."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from pydantic import TypeAdapter

from sage_rag.agents.protocols import Draft, Review
from sage_rag.agents.refinement import (
    MAX_ROUNDS,
    NO_PROGRESS,
    CallSavings,
    Discussion,
    RefinementOptions,
    RefinementOutcome,
    loop,
    refine,
)
from sage_rag.agents.team.conversation import team
from sage_rag.agents.transcript import Speaker, Transcript, transcript_to_json
from sage_rag.privacy.gate.findings import FindingKind
from tests.agents.refining import (
    COPY,
    REVIEWED,
    SAFE,
    UNSAFE,
    Scripted,
    gate,
    protect,
    refined,
    verdicts,
)

WORSE = Draft({"question": "Ada Novak of Lindhagen, 47 years old, again.", "answer": "Rest."})


@pytest.fixture(params=[loop, team], ids=["loop", "team"])
def conversation(request: pytest.FixtureRequest) -> Discussion:
    return request.param


def speakers(outcome: RefinementOutcome) -> list[str]:
    return [turn.speaker.value for turn in outcome.transcript]


def test_a_safe_draft_takes_one_call_and_the_gate_closes_the_round(
    conversation: Discussion,
) -> None:
    agents = Scripted()
    outcome = refined(agents, options=RefinementOptions(conversation=conversation))
    assert outcome.safe
    assert outcome.draft == REVIEWED
    assert outcome.rounds == 0
    assert outcome.reasons == ()
    assert speakers(outcome) == ["generator", "gate", "reviewer", "gate"]
    assert (len(agents.reviewed), len(agents.rewritten)) == (1, 0)


def test_a_draft_that_the_gate_refuses_goes_to_the_rewriter_unreviewed(
    conversation: Discussion,
) -> None:
    agents = Scripted(drafts=[REVIEWED])
    outcome = refined(agents, draft=COPY, options=RefinementOptions(conversation=conversation))
    assert outcome.safe
    assert outcome.rounds == 1
    assert speakers(outcome) == [
        *("generator", "gate", "rewriter"),
        *("gate", "reviewer", "gate"),
    ]
    assert agents.reviewed == [REVIEWED]
    (draft, review, verdict), *_ = agents.rewritten
    assert draft == COPY
    assert review == Review(False)
    assert FindingKind.SHARED_RUN in {finding.kind for finding in verdict.findings}


def test_safe_at_once_with_the_original_copied_is_refused_by_the_gate(
    conversation: Discussion,
) -> None:
    agents = Scripted(drafts=[COPY])
    outcome = refined(agents, draft=COPY, options=RefinementOptions(conversation=conversation))
    assert not outcome.safe
    assert "shared-run" in outcome.reasons
    assert agents.reviewed == []


@pytest.mark.parametrize("max_rounds", [0, 1, MAX_ROUNDS])
def test_never_safe_ends_at_the_round_limit(conversation: Discussion, max_rounds: int) -> None:
    agents = Scripted(reviews=[False])
    options = RefinementOptions(max_rounds=max_rounds, conversation=conversation)
    outcome = refined(agents, verdicts(SAFE), options=options)
    assert not outcome.safe
    assert outcome.rounds == max_rounds
    assert len(agents.rewritten) == max_rounds
    assert outcome.reasons == ("reviewer",)


def test_verdicts_that_alternate_end_with_the_first_that_both_give(
    conversation: Discussion,
) -> None:
    agents = Scripted(reviews=[False, True])
    judge = verdicts(SAFE, UNSAFE, SAFE)
    outcome = refined(agents, judge, options=RefinementOptions(conversation=conversation))
    assert outcome.safe
    assert outcome.rounds == 2
    assert len(agents.reviewed) == 2


def test_drafts_that_alternate_end_the_record(conversation: Discussion) -> None:
    agents = Scripted(drafts=[WORSE, COPY])
    outcome = refined(agents, draft=COPY, options=RefinementOptions(conversation=conversation))
    assert not outcome.safe
    assert outcome.rounds == 2
    assert outcome.reasons[-1] == NO_PROGRESS
    without = RefinementOptions(
        savings=CallSavings(stop_without_progress=False), conversation=conversation
    )
    outcome = refined(Scripted(drafts=[WORSE, COPY]), draft=COPY, options=without)
    assert outcome.rounds == MAX_ROUNDS
    assert NO_PROGRESS not in outcome.reasons


def test_a_rewriter_that_makes_it_worse_publishes_nothing_and_is_kept_without_names(
    conversation: Discussion,
) -> None:
    agents = Scripted(drafts=[WORSE])
    outcome = refined(agents, draft=COPY, options=RefinementOptions(conversation=conversation))
    assert not outcome.safe
    assert "identifier" in outcome.reasons
    kept = transcript_to_json(outcome.transcript)
    assert "again" in kept
    assert [value for value in ("Ada", "Novak", "Lindhagen") if value in kept] == []
    assert TypeAdapter(Transcript).validate_json(kept) == outcome.transcript


def test_without_the_saving_the_reviewer_judges_every_draft_before_the_gate(
    conversation: Discussion,
) -> None:
    agents = Scripted(reviews=[True], drafts=[REVIEWED])
    options = RefinementOptions(savings=CallSavings(gate_first=False), conversation=conversation)
    outcome = refined(agents, draft=COPY, options=options)
    assert outcome.safe
    assert speakers(outcome) == [
        *("generator", "reviewer", "gate", "rewriter"),
        *("reviewer", "gate"),
    ]
    assert agents.rewritten[0][1] == Review(True)


@pytest.mark.parametrize("last", [True, False])
def test_the_adversary_is_asked_last_and_what_it_finds_is_rewritten(
    conversation: Discussion, last: bool
) -> None:
    attacked: list[Draft] = []

    async def infer(draft: Draft) -> Review:
        attacked.append(draft)
        return Review(draft != REVIEWED, ("coarsen the place",) if draft == REVIEWED else ())

    agents = Scripted()
    options = RefinementOptions(CallSavings(infer_last=last), conversation=conversation)
    outcome = refined(agents, verdicts(UNSAFE, SAFE), draft=COPY, infer=infer, options=options)
    assert outcome.safe
    assert len(attacked) == (1 if last else 2)
    agents = Scripted()
    outcome = refined(agents, verdicts(SAFE), infer=infer, options=replace(options, max_rounds=0))
    assert not outcome.safe
    assert outcome.reasons == ("adversary",)
    outcome = refined(agents, verdicts(SAFE), infer=infer, options=options)
    assert outcome.rounds == 1
    assert agents.rewritten[0][1].suggestions == ("coarsen the place",)
    assert speakers(outcome)[:5] == ["generator", "gate", "reviewer", "adversary", "gate"]


SCRIPTS = [
    ([True], None, verdicts(SAFE)),
    ([False, True], None, verdicts(UNSAFE, SAFE)),
    ([False], None, verdicts(SAFE, UNSAFE, SAFE)),
    ([True], [WORSE, COPY, REVIEWED], gate),
    ([True], [COPY], gate),
]


@pytest.mark.parametrize(
    "savings", [CallSavings(), CallSavings(False, False, False)], ids=["savings", "none"]
)
@pytest.mark.parametrize(("reviews", "drafts", "judge"), SCRIPTS)
def test_loop_and_team_give_the_same_outcome_and_transcript(
    reviews, drafts, judge, savings: CallSavings
) -> None:
    looped, teamed = (
        refined(
            Scripted(reviews, drafts),
            judge,
            draft=COPY,
            options=RefinementOptions(savings, conversation=way),
        )
        for way in (loop, team)
    )
    assert looped == teamed
    assert len(teamed.transcript) >= 3


def test_every_round_ends_with_the_gate(conversation: Discussion) -> None:
    agents = Scripted(reviews=[False])
    outcome = refined(agents, verdicts(SAFE), options=RefinementOptions(conversation=conversation))
    said = speakers(outcome)
    before = [said[i - 1] for i, speaker in enumerate(said) if speaker == Speaker.REWRITER]
    assert before == ["gate"] * MAX_ROUNDS
    assert said[-1] == "gate"


def test_two_records_at_once_do_not_hear_each_other(conversation: Discussion) -> None:
    async def one(word: str, reviews: list[bool]) -> RefinementOutcome:
        draft = Draft({"question": f"{word} aches a lot on most of these days", "answer": word})
        agents = Scripted(reviews)
        options = RefinementOptions(conversation=conversation)
        record = protect({"question": f"{word}?", "answer": "Yes."}).protected
        return await refine(record, draft, agents.roles, verdicts(SAFE), options=options)

    async def both() -> list[RefinementOutcome]:
        return await asyncio.gather(*(one(f"w{i}", [False] * i + [True]) for i in range(4)))

    for i, outcome in enumerate(asyncio.run(both())):
        assert outcome.rounds == i
        kept = transcript_to_json(outcome.transcript)
        assert [f"w{j}" for j in range(4) if f"w{j}" in kept] == [f"w{i}"]


def test_a_conversation_that_ends_before_the_gate_spoke_gives_no_outcome() -> None:
    async def silent(members, state, opening) -> None:
        state.add(opening)

    with pytest.raises(ValueError, match="gate"):
        refined(Scripted(), options=RefinementOptions(conversation=silent))
