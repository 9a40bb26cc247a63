"""Stage 2 for one record: review and rewrite a draft until reviewer and gate agree.

`Refinement` decides who speaks next and when it ends, from what was said so far and nothing else.
It is asked by a plain loop here, for agents that answer at once, and by the team of
`agents.team.conversation`, for those that ask a model.

Source: Zeng et al. (2024), arXiv 2406.14773, §3.2, A.1.2. Differs: the gate has the last word, the
rewriter never sees the original, and what is still unsafe after the last round is not used.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from sage_rag.agents.protocols import Draft, Review, Roles
from sage_rag.agents.transcript import Judge, Speaker, Transcript, TranscriptTurn, without_values
from sage_rag.privacy.gate.gate import Verdict
from sage_rag.privacy.protect import ProtectedText, Protection
from sage_rag.privacy.protocols import Recognizer

MAX_ROUNDS = 5
"""As the authors' code; their average was 2.7 (chat) and 3.5 (wiki) rounds, Table 7."""

NO_PROGRESS = "no-progress"
"""Why a refinement ended before its rounds were used up, as `RefinementOutcome.reasons` has it."""

Infer = Callable[[Draft], Awaitable[Review]]
"""An attacker for one record: what it got right counts as findings of a review."""


@dataclass(frozen=True, slots=True)
class CallSavings:
    """Which model calls are saved. Each saving can be left out, to measure what it costs."""

    gate_first: bool = True
    """The gate measures before the reviewer is asked, who only judges drafts that pass it. Off: the
    reviewer judges every draft, then the gate."""
    infer_last: bool = True
    """The adversary only reads drafts that whoever spoke before it finds safe. Off: every draft."""
    stop_without_progress: bool = True
    """A rewriter that hands back a draft that was refused before ends the record. Off: it is asked
    again until the rounds are used up."""


ALL_SAVINGS = CallSavings()


@dataclass(frozen=True, slots=True)
class RefinementOutcome:
    """How a record ended. `draft` may be published only if `safe`.

    `rounds` counts rewrites; `reasons` are the last round's findings, without plain values, and
    "no-progress" where it ended early. `transcript` holds what the gate knows to be
    private in no refused draft; `agents.transcript` writes it as JSON.
    """

    draft: Draft
    safe: bool
    rounds: int
    longest_run: int
    rouge_l: float
    reasons: tuple[str, ...]
    transcript: Transcript = ()


class Refinement:
    """Where the refinement of one record stands: who speaks next, and when it is over.

    The first turn to be heard brings the draft. The gate closes every round: it speaks last, after
    whoever else is to judge the draft.
    """

    def __init__(
        self,
        *,
        max_rounds: int = MAX_ROUNDS,
        savings: CallSavings = ALL_SAVINGS,
        adversarial: bool = False,
    ) -> None:
        self._max_rounds = max_rounds
        self._savings = savings
        self._adversarial = adversarial
        self.turns: list[TranscriptTurn] = []
        self.rounds = 0
        self.draft = Draft({})
        self.verdict: Verdict | None = None
        self.review: Review | None = None
        self.inference: Review | None = None
        self.stop: str | None = None
        self._closed = False
        self._refused: list[Draft] = []

    def anew(self) -> Refinement:
        """Return one with the same rules, in which nothing was said yet."""
        return Refinement(
            max_rounds=self._max_rounds, savings=self._savings, adversarial=self._adversarial
        )

    def hear(self, turn: TranscriptTurn) -> None:
        """Take note of what was said."""
        self.turns.append(turn)
        self.stop = self.stop or turn.stop
        if turn.draft is not None:
            self._take(turn.draft, turn.round)
        if turn.verdict is not None:
            self.verdict = turn.verdict
            self._closed = self._undecided() is None
        if turn.speaker is Speaker.REVIEWER:
            self.review = turn.review
        if turn.speaker is Speaker.ADVERSARY:
            self.inference = turn.review

    @property
    def speaker(self) -> Speaker | None:
        """Who speaks next; `None` when it is over."""
        if self.stop is not None:
            return None
        if self._closed:
            over = self.agreed or self.rounds >= self._max_rounds
            return None if over else Speaker.REWRITER
        if self.verdict is None and self._savings.gate_first:
            return Speaker.GATE
        return self._undecided() or Speaker.GATE

    @property
    def agreed(self) -> bool:
        """Whether everybody who has to judge the draft has found it safe."""
        inferred = self._adversarial and (self.inference is None or not self.inference.safe)
        reviewed = self.review is not None and self.review.safe
        return self.verdict is not None and self.verdict.safe and reviewed and not inferred

    @property
    def advice(self) -> Review:
        """What reviewer and adversary want changed, as the rewriter gets it."""
        said = [review for review in (self.review, self.inference) if review is not None]
        suggestions = tuple(s for review in said for s in review.suggestions)
        return Review(bool(said) and all(review.safe for review in said), suggestions)

    def _take(self, draft: Draft, number: int) -> None:
        self.rounds = number
        if self._savings.stop_without_progress and draft in self._refused:
            self.stop = NO_PROGRESS  # what was said of the draft before stands
            return
        self._refused.append(draft)
        self.draft = draft
        self.verdict = self.review = self.inference = None
        self._closed = False

    def _undecided(self) -> Speaker | None:
        """Return who still has to judge the draft, apart from the gate."""
        refused = self.verdict is not None and not self.verdict.safe
        if self.review is None and not (refused and self._savings.gate_first):
            return Speaker.REVIEWER
        doubted = refused or self.review is None or not self.review.safe
        if self._adversarial and self.inference is None:
            return None if doubted and self._savings.infer_last else Speaker.ADVERSARY
        return None


@dataclass(frozen=True, slots=True)
class RefinementMembers:
    """Who takes part in the refinement of one record, behind one door."""

    record: ProtectedText
    roles: Roles
    judge: Judge
    infer: Infer | None

    async def say(self, speaker: Speaker, state: Refinement) -> TranscriptTurn:
        """Return what the member says where things stand."""
        number, draft = state.rounds, state.draft
        if speaker is Speaker.GATE:
            verdict = state.verdict or await self.judge(draft)
            return TranscriptTurn(round=number, speaker=speaker, verdict=verdict)
        if speaker is Speaker.REVIEWER:
            review = await self.roles.reviewer.review(self.record, draft)
            return TranscriptTurn(round=number, speaker=speaker, review=review)
        if speaker is Speaker.ADVERSARY and self.infer is not None:
            return TranscriptTurn(round=number, speaker=speaker, review=await self.infer(draft))
        verdict = state.verdict or await self.judge(draft)
        revised = await self.roles.rewriter.rewrite(draft, state.advice, verdict)
        return TranscriptTurn(round=number + 1, speaker=Speaker.REWRITER, draft=revised)


class Discussion(Protocol):
    """Lets the members speak, in the order that the refinement names, until it is over."""

    async def __call__(
        self, members: RefinementMembers, state: Refinement, opening: TranscriptTurn
    ) -> None:
        """Hear the opening, then every member in turn; `state` knows the end of it."""
        ...


async def loop(
    members: RefinementMembers,
    state: Refinement,
    opening: TranscriptTurn,
    *,
    until: Speaker | None = None,
) -> None:
    """Let the members speak one after the other, without any runtime between them.

    `until`: before whom to stop; else it goes on to the end.
    """
    state.hear(opening)
    while (speaker := state.speaker) not in {None, until}:
        state.hear(await members.say(speaker, state))


class Adversary(Protocol):
    """Attacks drafts of a record in the owner's zone."""

    @property
    def fingerprint(self) -> str:
        """A name that changes with whatever could change what it finds."""
        ...

    def against(self, protection: Protection, recognizer: Recognizer) -> Infer:
        """Return the attack on one record's drafts."""
        ...


@dataclass(frozen=True, slots=True)
class RefinementOptions:
    """On which options the records of a run are refined.

    `max_rounds`: rewrites of one record at most. `conversation` is how the members come to speak;
    no outcome depends on it.
    """

    savings: CallSavings = ALL_SAVINGS
    max_rounds: int = MAX_ROUNDS
    adversary: Adversary | None = None
    conversation: Discussion = loop

    @property
    def fingerprint(self) -> str:
        """What could change an outcome, as far as it is not the default; empty for the default."""
        saved = [] if self.savings == ALL_SAVINGS else [str(self.savings)]
        rounds = [] if self.max_rounds == MAX_ROUNDS else [f"rounds={self.max_rounds}"]
        attacked = [] if self.adversary is None else [self.adversary.fingerprint]
        return "/".join([*saved, *rounds, *attacked])


DEFAULT_OPTIONS = RefinementOptions()


async def refine(
    record: ProtectedText,
    draft: Draft,
    roles: Roles,
    judge: Judge,
    *,
    infer: Infer | None = None,
    options: RefinementOptions = DEFAULT_OPTIONS,
) -> RefinementOutcome:
    """Review and rewrite a draft until reviewer and gate agree, or the rounds are used up.

    `infer` is the attack on this record, where the options have an adversary. What a member raises
    ends it, the end of a budget too: there is no outcome then, so that a later run takes the record
    up again.

    Raises:
        SageRagError: what a member raised, as it was, whatever the conversation.
    """
    members = RefinementMembers(record, roles, judge, infer)
    adversarial = infer is not None
    state = Refinement(
        max_rounds=options.max_rounds, savings=options.savings, adversarial=adversarial
    )
    opening = TranscriptTurn(round=0, speaker=Speaker.GENERATOR, draft=draft)
    await options.conversation(members, state, opening)
    return await _outcome(state, judge)


async def _outcome(state: Refinement, judge: Judge) -> RefinementOutcome:
    verdict = state.verdict
    if verdict is None:
        raise ValueError("a conversation ended before the gate spoke")
    reasons = [finding.kind.value for finding in verdict.findings]
    reasons += [
        name
        for name, review in (("reviewer", state.review), ("adversary", state.inference))
        if review is not None and not review.safe
    ]
    reasons += [state.stop] if state.stop is not None else []
    return RefinementOutcome(
        draft=state.draft,
        safe=state.agreed,
        rounds=state.rounds,
        longest_run=verdict.longest_run,
        rouge_l=verdict.rouge_l,
        reasons=tuple(dict.fromkeys(reasons)),
        transcript=await without_values(state.turns, judge),
    )
