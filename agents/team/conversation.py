"""The reviewer, the gate, the rewriter and an adversary as an autogen-agentchat team.

The order of speakers and the end are those of `Refinement`: the team's selector and its termination
condition ask it and decide nothing themselves. What members say travels as structured messages;
every member knows the record's state from the messages alone.

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
from autogen_core import CancellationToken
from autogen_core.models import ChatCompletionClient

from sage_rag.agents.refinement import Refinement, RefinementMembers, loop
from sage_rag.agents.team.runtime import DirectRuntime
from sage_rag.agents.transcript import Speaker, TranscriptTurn
from sage_rag.common.exceptions import SageRagError

Message = StructuredMessage[TranscriptTurn]

_FAILED = "failed"
_CALLED_OFF = "called off"
_LOGGERS = ("autogen_core", "autogen_core.events", "autogen_agentchat", "autogen_agentchat.events")
_NO_MODEL = cast(ChatCompletionClient, None)
"""autogen's selector asks a model only where its function names nobody; ours always does."""
_PARTS = {
    Speaker.GATE: "measures a draft and closes the round",
    Speaker.REVIEWER: "judges a draft on six aspects of privacy",
    Speaker.ADVERSARY: "infers from a draft what it should not tell",
    Speaker.REWRITER: "revises a draft after findings and suggestions",
}


async def team(members: RefinementMembers, state: Refinement, opening: TranscriptTurn) -> None:
    """Let a team hold the conversation, where there is something to talk about.

    The first draft is judged member by member, without a team: a draft that all of them find safe
    gives no cause for a discussion. With the first objection a team is convened, one for each
    record, and told all that was said. Who speaks when and what comes of it is `Refinement`'s in
    both, so that neither could tell the difference; a talk costs more of the processor than all
    other work on a record.

    Guarantees: what a member raises is raised here as it is; autogen logs and traces nothing of
    what is said. When cancelled, the member that speaks is cancelled before this returns.

    Raises:
        SageRagError: where the team itself fails, without autogen's account of it.
    """
    first = state.anew()
    await loop(members, first, opening, until=Speaker.REWRITER)
    if first.speaker is not None:
        await _discuss(members, state, first.turns)
        return
    for turn in first.turns:
        state.hear(turn)


async def _discuss(
    members: RefinementMembers, state: Refinement, said: Sequence[TranscriptTurn]
) -> None:
    """Convene a team, tell it what was said, and let it talk until it is over."""
    _hush()
    failures: list[Exception] = []
    token = CancellationToken()
    runtime = DirectRuntime()
    speakers = [s for s in _PARTS if s is not Speaker.ADVERSARY or members.infer is not None]
    chat = SelectorGroupChat(
        [Member(speaker, members, state.anew(), failures) for speaker in speakers],
        model_client=_NO_MODEL,
        selector_func=lambda _: state.speaker,
        termination_condition=DiscussionEnd(state),
        runtime=runtime,
    )
    task = [_message(turn) for turn in said]
    try:
        try:
            await chat.run(task=task, cancellation_token=token, output_task_messages=False)
        finally:
            token.cancel()
            await runtime.settle()
    except Exception as error:  # noqa: BLE001 - autogen tells of its failures in many ways
        failures.append(SageRagError(f"the agents' team failed: {type(error).__name__}"))
    if failures:
        raise failures[0]


class Member(BaseChatAgent):
    """One speaker. It knows what it was sent, and answers with one turn."""

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
        """Turns alone."""
        return (Message,)

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
    ) -> Response:
        """Hear what the others said and speak."""
        for turn in _turns(messages):
            self._state.hear(turn)
        said = await self._said(cancellation_token)
        self._state.hear(said)  # the runtime sends nobody what he said himself
        return Response(chat_message=_message(said))

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        """Forget what was said."""
        self._state = self._state.anew()

    async def _said(self, token: CancellationToken) -> TranscriptTurn:
        """Return the member's turn; a failure ends the talk, past autogen, which would tell of it.

        The call is a task of its own, so that the token can cancel it without the runtime.
        """
        call = asyncio.ensure_future(self._members.say(self._speaker, self._state))
        token.link_future(call)
        try:
            return await call
        except asyncio.CancelledError:
            if not token.is_cancelled():
                raise
            stop = _CALLED_OFF
        except Exception as error:  # noqa: BLE001 - handed on as it is
            self._failures.append(error)
            stop = _FAILED
        return TranscriptTurn(round=self._state.rounds, speaker=self._speaker, stop=stop)


class DiscussionEnd(TerminationCondition):
    """Hears everything, and ends the talk when nobody has to speak any more."""

    def __init__(self, state: Refinement) -> None:
        self._state = state

    @property
    def terminated(self) -> bool:
        """Whether it is over."""
        return bool(self._state.turns) and self._state.speaker is None

    async def __call__(
        self, messages: Sequence[BaseAgentEvent | BaseChatMessage]
    ) -> StopMessage | None:
        """Take note of what was said; return the word that ends the talk, when it is over."""
        for turn in _turns(messages):
            self._state.hear(turn)
        return StopMessage(content="over", source="refinement") if self.terminated else None

    async def reset(self) -> None:
        """Keep the state: the outcome is read from it."""


def _message(turn: TranscriptTurn) -> Message:
    return Message(content=turn, source=turn.speaker.value)


def _turns(messages: Sequence[BaseAgentEvent | BaseChatMessage]) -> list[TranscriptTurn]:
    structured = [m.content for m in messages if isinstance(m, StructuredMessage)]
    return [content for content in structured if isinstance(content, TranscriptTurn)]


def _hush() -> None:
    """Keep autogen's loggers still: at level INFO they write every message in full."""
    for logger in map(logging.getLogger, _LOGGERS):
        if logger.level != logging.CRITICAL:  # to set a level costs more than to read it
            logger.setLevel(logging.CRITICAL)
