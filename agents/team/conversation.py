"""The reviewer, the gate, the rewriter and an adversary as an autogen-agentchat team.

The team's selector and its termination condition ask `Refinement` and decide nothing themselves.
Turns travel as structured messages; every member knows the record's state from the messages alone.

Source: Zeng et al. (2024), arXiv 2406.14773, §3.2. Differs: the gate is a member and closes each
round.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import cast

from autogen_agentchat.agents import BaseChatAgent
from autogen_agentchat.base import Response, TerminationCondition
from autogen_agentchat.messages import (
    BaseAgentEvent,
    BaseChatMessage,
    StopMessage,
    StructuredMessage,
)
from autogen_agentchat.teams import SelectorGroupChat
from autogen_core import CancellationToken, SingleThreadedAgentRuntime
from autogen_core.models import ChatCompletionClient
from opentelemetry.trace import NoOpTracerProvider

from sage_rag.agents.refinement import Refinement, RefinementMembers, loop
from sage_rag.agents.transcript import Speaker, TranscriptTurn
from sage_rag.common.exceptions import SageRagError

Message = StructuredMessage[TranscriptTurn]

_FAILED = "failed"
_CANCELLED = "cancelled"
_LOGGERS = ("autogen_core", "autogen_core.events", "autogen_agentchat", "autogen_agentchat.events")
_NO_MODEL = cast(ChatCompletionClient, None)
"""autogen's selector needs a model when the function names no one; ours always names one."""
_PARTS = {
    Speaker.GATE: "measures a draft and closes the round",
    Speaker.REVIEWER: "judges a draft on six aspects of privacy",
    Speaker.ADVERSARY: "infers from a draft what it should not reveal",
    Speaker.REWRITER: "revises a draft by findings and suggestions",
}


async def team(members: RefinementMembers, state: Refinement, opening: TranscriptTurn) -> None:
    """Refine one record by a team, which is convened only after a first objection.

    The members judge the first draft without a team: a draft that all of them find safe needs no
    discussion, and a discussion costs 3 to 20 ms of processor time. Each record gets a team of its
    own. `Refinement` decides in both parts who speaks and when it ends.

    Guarantees: what a member raises is raised here unchanged; autogen logs and traces no message.
    When cancelled, the member that speaks is cancelled before this returns.

    Raises:
        SageRagError: when the team itself fails; without autogen's message, which may quote a text.
    """
    first = state.without_turns()
    await loop(members, first, opening, until=Speaker.REWRITER)
    if first.next_speaker is not None:
        await _discuss(members, state, first.turns)
        return
    for turn in first.turns:
        state.add(turn)


async def _discuss(
    members: RefinementMembers, state: Refinement, turns: Sequence[TranscriptTurn]
) -> None:
    """Convene a team, pass on the turns so far, and let it talk to the end."""
    _silence_loggers()
    failures: list[Exception] = []
    token = CancellationToken()
    runtime = SingleThreadedAgentRuntime(tracer_provider=NoOpTracerProvider())
    speakers = [s for s in _PARTS if s is not Speaker.ADVERSARY or members.infer is not None]
    chat = SelectorGroupChat(
        [Member(speaker, members, state.without_turns(), failures) for speaker in speakers],
        model_client=_NO_MODEL,
        selector_func=lambda _: state.next_speaker,
        termination_condition=DiscussionEnd(state),
        runtime=runtime,
    )
    runtime.start()  # here, so that the members run in the context of this record
    try:
        try:
            task = [_message(turn) for turn in turns]
            await chat.run(task=task, cancellation_token=token, output_task_messages=False)
        finally:
            token.cancel()
            await runtime.stop_when_idle()
    except Exception as error:  # noqa: BLE001 - autogen raises exceptions of many types
        failures.append(SageRagError(f"the agents' team failed: {type(error).__name__}"))
    if failures:
        raise failures[0]


class Member(BaseChatAgent):
    """One speaker. It knows the messages it received, and answers with one turn."""

    def __init__(
        self,
        speaker: Speaker,
        members: RefinementMembers,
        state: Refinement,
        failures: list[Exception],
    ) -> None:
        super().__init__(speaker.value, _PARTS[speaker])
        self._speaker = speaker
        self._members = members
        self._state = state
        self._failures = failures

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        """Messages that hold a turn."""
        return (Message,)

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
    ) -> Response:
        """Take note of the others' turns and speak."""
        for turn in _turns(messages):
            self._state.add(turn)
        own = await self._own_turn(cancellation_token)
        self._state.add(own)  # the runtime does not send a member its own messages
        return Response(chat_message=_message(own))

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        """Forget all turns."""
        self._state = self._state.without_turns()

    async def _own_turn(self, token: CancellationToken) -> TranscriptTurn:
        """Return the member's turn; a failure ends the discussion by a turn with `stop`.

        The exception does not pass through autogen, which would log it. The call is a task of its
        own, so that the token can cancel it without the runtime.
        """
        call = asyncio.ensure_future(self._members.speak(self._speaker, self._state))
        token.link_future(call)
        try:
            return await call
        except asyncio.CancelledError:
            if not token.is_cancelled():
                raise
            stop = _CANCELLED
        except Exception as error:  # noqa: BLE001 - raised again by `team`
            self._failures.append(error)
            stop = _FAILED
        return TranscriptTurn(round=self._state.rounds, speaker=self._speaker, stop=stop)


class DiscussionEnd(TerminationCondition):
    """Ends the discussion when `Refinement` names no next speaker."""

    def __init__(self, state: Refinement) -> None:
        self._state = state

    @property
    def terminated(self) -> bool:
        """Whether the discussion is over."""
        return bool(self._state.turns) and self._state.next_speaker is None

    async def __call__(
        self, messages: Sequence[BaseAgentEvent | BaseChatMessage]
    ) -> StopMessage | None:
        """Take note of the turns; return a stop message when the discussion is over."""
        for turn in _turns(messages):
            self._state.add(turn)
        return StopMessage(content="over", source="refinement") if self.terminated else None

    async def reset(self) -> None:
        """Keep the state: the outcome is read from it."""


def _message(turn: TranscriptTurn) -> Message:
    return Message(content=turn, source=turn.speaker.value)


def _turns(messages: Sequence[BaseAgentEvent | BaseChatMessage]) -> list[TranscriptTurn]:
    structured = [m.content for m in messages if isinstance(m, StructuredMessage)]
    return [content for content in structured if isinstance(content, TranscriptTurn)]


def _silence_loggers() -> None:
    """Silence autogen's loggers: at level INFO they write every message in full."""
    for logger in map(logging.getLogger, _LOGGERS):
        if logger.level != logging.CRITICAL:  # setting a level costs more than reading it
            logger.setLevel(logging.CRITICAL)
