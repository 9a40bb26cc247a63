"""Stage 2 for one record: review and rewrite a draft until reviewer and gate agree.

`Refinement` decides, from the turns so far alone, who speaks next and when it ends. A plain loop
asks it here, for rule agents; the team of `agents.team.conversation` asks it for agents over a
model.

Source: Zeng et al. (2024), arXiv 2406.14773, §3.2, A.1.2. Differs: the gate decides last, the
rewriter never sees the original, and a draft still unsafe after the last round is not used.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from sage_rag.agents.protocols import Draft, Review, Roles
from sage_rag.agents.transcript import Judge, Speaker, Transcript, TranscriptTurn, hide_values
from sage_rag.privacy.gate.findings import Verdict
from sage_rag.privacy.protect import ProtectedText, Protection
from sage_rag.privacy.protocols import Recognizer

MAX_ROUNDS = 5
"""As in the authors' code; their average is 2.7 (chat) and 3.5 (wiki) rounds, Table 7."""

NO_PROGRESS = "no-progress"
"""The reason in `RefinementOutcome.reasons` when the rewriter repeats a refused draft."""

Infer = Callable[[Draft], Awaitable[Review]]
"""An attack on one record's drafts: its right guesses count as a review's findings."""


@dataclass(frozen=True, slots=True)
class CallSavings:
    """Which model calls are saved. Each saving can be switched off, to measure its effect."""

    gate_first: bool = True
    """The gate measures first; the reviewer judges only drafts that pass it. Off: the reviewer
    judges every draft, then the gate."""
    infer_last: bool = True
    """The adversary reads only drafts that gate and reviewer find safe. Off: every draft."""
    stop_without_progress: bool = True
    """The record ends when the rewriter returns a draft that was refused before. Off: the rewriter
    is asked again until the rounds are used up."""


ALL_SAVINGS = CallSavings()


@dataclass(frozen=True, slots=True)
class RefinementOutcome:
    """How a record ended. `draft` may be published only if `safe`.

    `rounds` counts rewrites; `verdict` is the gate's last one; `reasons` are the last round's
    findings, without plain values, and `NO_PROGRESS` where it ended early. In `transcript` the
    values that the gate found private in refused drafts are hidden; `agents.transcript` writes it
    as JSON.
    """

    draft: Draft
    safe: bool
    rounds: int
    verdict: Verdict
    reasons: tuple[str, ...]
    transcript: Transcript = ()


class Refinement:
    """The state of one record's refinement: the turns so far, who speaks next, when it is over.

    The first turn brings the draft. The gate closes every round: it speaks after all other judges
    of the draft.
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

    def without_turns(self) -> Refinement:
        """Return a refinement with the same rules and no turns."""
        return Refinement(
            max_rounds=self._max_rounds, savings=self._savings, adversarial=self._adversarial
        )

    def add(self, turn: TranscriptTurn) -> None:
        """Add a turn and update the state."""
        self.turns.append(turn)
        self.stop = self.stop or turn.stop
        if turn.draft is not None:
            self._set_draft(turn.draft, turn.round)
        if turn.verdict is not None:
            self.verdict = turn.verdict
            self._closed = self._other_judge() is None
        if turn.speaker is Speaker.REVIEWER:
            self.review = turn.review
        if turn.speaker is Speaker.ADVERSARY:
            self.inference = turn.review

    @property
    def next_speaker(self) -> Speaker | None:
        """Who speaks next; `None` when it is over."""
        if self.stop is not None:
            return None
        if self._closed:
            over = self.agreed or self.rounds >= self._max_rounds
            return None if over else Speaker.REWRITER
        if self.verdict is None and self._savings.gate_first:
            return Speaker.GATE
        return self._other_judge() or Speaker.GATE

    @property
    def agreed(self) -> bool:
        """Whether every judge of the draft has found it safe."""
        inferred = self._adversarial and (self.inference is None or not self.inference.safe)
        reviewed = self.review is not None and self.review.safe
        return self.verdict is not None and self.verdict.safe and reviewed and not inferred

    @property
    def combined_review(self) -> Review:
        """The reviewer's and the adversary's suggestions, as the rewriter receives them."""
        reviews = [review for review in (self.review, self.inference) if review is not None]
        suggestions = tuple(s for review in reviews for s in review.suggestions)
        return Review(bool(reviews) and all(review.safe for review in reviews), suggestions)

    def _set_draft(self, draft: Draft, number: int) -> None:
        self.rounds = number
        if self._savings.stop_without_progress and draft in self._refused:
            self.stop = NO_PROGRESS  # verdict and review of the draft before stay valid
            return
        self._refused.append(draft)
        self.draft = draft
        self.verdict = self.review = self.inference = None
        self._closed = False

    def _other_judge(self) -> Speaker | None:
        """Return the next judge of the draft besides the gate; `None` when all have judged."""
        refused = self.verdict is not None and not self.verdict.safe
        if self.review is None and not (refused and self._savings.gate_first):
            return Speaker.REVIEWER
        doubted = refused or self.review is None or not self.review.safe
        if self._adversarial and self.inference is None:
            return None if doubted and self._savings.infer_last else Speaker.ADVERSARY
        return None


@dataclass(frozen=True, slots=True)
class RefinementMembers:
    """The members that refine one record. `infer` is `None` without an adversary."""

    record: ProtectedText
    roles: Roles
    judge: Judge
    infer: Infer | None

    async def speak(self, speaker: Speaker, state: Refinement) -> TranscriptTurn:
        """Return the turn of one member in this state."""
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
        revised = await self.roles.rewriter.rewrite(draft, state.combined_review, verdict)
        return TranscriptTurn(round=number + 1, speaker=Speaker.REWRITER, draft=revised)


class Discussion(Protocol):
    """Lets the members speak in the order that the refinement names, until it is over."""

    async def __call__(
        self, members: RefinementMembers, state: Refinement, opening: TranscriptTurn
    ) -> None:
        """Add the opening and every further turn to `state`."""
        ...


async def loop(
    members: RefinementMembers,
    state: Refinement,
    opening: TranscriptTurn,
    *,
    until: Speaker | None = None,
) -> None:
    """Let the members speak one after the other, to the end or until `until` would speak."""
    state.add(opening)
    while (speaker := state.next_speaker) not in {None, until}:
        state.add(await members.speak(speaker, state))


class Adversary(Protocol):
    """Attacks drafts of a record in the owner's zone."""

    @property
    def fingerprint(self) -> str:
        """Changes with everything that could change its findings."""
        ...

    def against(self, protection: Protection, recognizer: Recognizer) -> Infer:
        """Return the attack on one record's drafts."""
        ...


@dataclass(frozen=True, slots=True)
class RefinementOptions:
    """How the records of a run are refined.

    `max_rounds`: rewrites of one record at most. `conversation`: a plain loop or a team; no outcome
    depends on it.
    """

    savings: CallSavings = ALL_SAVINGS
    max_rounds: int = MAX_ROUNDS
    adversary: Adversary | None = None
    conversation: Discussion = loop

    @property
    def fingerprint(self) -> str:
        """The options that differ from the defaults and could change an outcome; else empty."""
        savings = [] if self.savings == ALL_SAVINGS else [str(self.savings)]
        rounds = [] if self.max_rounds == MAX_ROUNDS else [f"rounds={self.max_rounds}"]
        adversary = [] if self.adversary is None else [self.adversary.fingerprint]
        return "/".join([*savings, *rounds, *adversary])


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

    `infer` is the attack on this record, where the options name an adversary. An exception of a
    member ends it without an outcome, so that a later run refines the record again.

    Raises:
        SageRagError: what a member raised, unchanged, whatever the conversation.
    """
    members = RefinementMembers(record, roles, judge, infer)
    state = Refinement(
        max_rounds=options.max_rounds, savings=options.savings, adversarial=infer is not None
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
        verdict=verdict,
        reasons=tuple(dict.fromkeys(reasons)),
        transcript=await hide_values(state.turns, judge),
    )
