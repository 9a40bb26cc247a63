"""The team: failures, cancelling, and what autogen must not get to tell."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import traceback
from contextvars import ContextVar

import pytest

from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.agents.protocols import Draft
from sage_rag.agents.refinement import Refinement, RefinementMembers, RefinementOptions, refine
from sage_rag.agents.team import conversation
from sage_rag.agents.team.conversation import team
from sage_rag.agents.transcript import Speaker, TranscriptTurn
from sage_rag.common.exceptions import SageRagError, UpstreamError
from sage_rag.privacy.gate.findings import Verdict
from tests.agents.refining import (
    COPY,
    PROTECTION,
    REVIEWED,
    SAFE,
    UNSAFE,
    Scripted,
    refined,
    verdicts,
)

TEAM = RefinementOptions(conversation=team)


class BudgetEndsError(SageRagError):
    """As a model's calls end a run."""


@pytest.mark.parametrize(
    "error",
    [BudgetEndsError("spent"), UpstreamError("down"), AgentOutputError("no"), KeyError("a bug")],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("role", ["reviewer", "rewriter", "gate"])
def test_what_a_member_raises_comes_out_as_it_was(
    role: str, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    async def judge(draft: Draft):
        if role == "gate":
            raise error
        return SAFE

    agents = Scripted(
        reviews=[error] if role == "reviewer" else [False],
        drafts=[error] if role == "rewriter" else None,
    )
    with pytest.raises(type(error)) as caught:
        refined(agents, judge, options=TEAM)
    assert caught.value is error
    assert "autogen" not in "".join(traceback.format_exception(caught.value))
    assert caplog.text == ""


def test_a_failure_of_the_team_itself_is_ours_and_names_no_text() -> None:
    class Broken(Refinement):
        def add(self, turn: TranscriptTurn) -> None:
            raise RuntimeError(f"cannot add {turn!r}")

    members = RefinementMembers(PROTECTION.protected, Scripted().roles, verdicts(UNSAFE), None)
    opening = TranscriptTurn(round=0, speaker=Speaker.GENERATOR, draft=COPY)
    with pytest.raises(SageRagError) as caught:
        asyncio.run(team(members, Broken(), opening))
    shown = "".join(traceback.format_exception(caught.value))
    assert "autogen" not in shown
    assert "knee" not in shown


@pytest.mark.parametrize("verdict", [SAFE, UNSAFE], ids=["before the team", "in the team"])
def test_cancelling_cancels_the_member_that_speaks_and_leaves_no_task(verdict: Verdict) -> None:
    begun, ended = asyncio.Event(), []

    async def for_ever() -> None:
        begun.set()
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append(True)

    async def run() -> set[asyncio.Task[object]]:
        agents = Scripted(wait=for_ever)
        call = asyncio.ensure_future(
            refine(PROTECTION.protected, REVIEWED, agents.roles, verdicts(verdict), options=TEAM)
        )
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(call, timeout=5)
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(run()) == set()
    assert ended == [True]


def test_autogen_logs_nothing_of_what_is_said(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        outcome = refined(Scripted(reviews=[False, True]), verdicts(SAFE), options=TEAM)
    assert outcome.safe
    assert "knee" not in caplog.text


def test_members_speak_in_the_context_of_their_record() -> None:
    """Accounts of calls by record depend on it."""
    record: ContextVar[str] = ContextVar("record", default="none")
    seen: list[str] = []

    async def note() -> None:
        seen.append(record.get())

    async def one(name: str) -> None:
        record.set(name)
        agents = Scripted(reviews=[False, True], wait=note)
        await refine(PROTECTION.protected, REVIEWED, agents.roles, verdicts(SAFE), options=TEAM)

    async def both() -> None:
        await asyncio.gather(one("a"), one("b"))

    asyncio.run(both())
    assert sorted(seen) == ["a"] * 3 + ["b"] * 3


def test_a_team_is_convened_with_the_first_objection_and_told_what_was_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    convened: list[list[str]] = []

    class Counted(conversation.SelectorGroupChat):
        async def run(self, *, task, **options):
            convened.append([message.content.speaker.value for message in task])
            return await super().run(task=task, **options)

    monkeypatch.setattr(conversation, "SelectorGroupChat", Counted)
    assert refined(Scripted(), verdicts(SAFE), options=TEAM).safe
    assert convened == []
    assert refined(Scripted(reviews=[False, True]), verdicts(SAFE), options=TEAM).safe
    assert refined(Scripted(), verdicts(UNSAFE, SAFE), options=TEAM).safe
    assert convened == [["generator", "gate", "reviewer", "gate"], ["generator", "gate"]]


def test_the_plain_loop_needs_no_autogen() -> None:
    code = (
        "import sys, sage_rag.agents.refinement, sage_rag.agents.model.review; "
        "sys.exit(any(name.startswith('autogen') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
