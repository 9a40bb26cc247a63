"""Measure drafts by round: what would leak if drafts were used without the gate.

The authors' code does this: it uses a draft that is still unsafe after the last round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sage_rag.agents.protocols import Draft
from sage_rag.agents.refinement import Refinement, RefinementMembers, RefinementOptions, loop
from sage_rag.agents.transcript import TranscriptTurn
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.sage.measurer import Measurer
from sage_rag.eval.studies.sage.results import DraftLeakage
from sage_rag.eval.studies.study_home import StudyHome, Variant
from sage_rag.indexer.recipes import RECIPES
from sage_rag.privacy.gate.findings import FindingKind

_MEANING = (
    FindingKind.MEANING_CHANGED,
    FindingKind.UNVERIFIED_REWORDING,
    FindingKind.QUESTION_LOST,
)


@dataclass(frozen=True, slots=True)
class DraftHistory:
    """The drafts of one record in order, and the rewrites until all members agreed, if they did.

    `altered`: for each draft, whether the gate finds a change of meaning.
    """

    drafts: tuple[Draft, ...]
    altered: tuple[bool, ...]
    agreed: int | None

    @classmethod
    def of(cls, turns: Iterable[TranscriptTurn], agreed: int | None) -> DraftHistory:
        """Read the turns: a verdict is about the last draft before it."""
        drafts: list[Draft] = []
        altered: list[bool] = []
        for turn in turns:
            if turn.draft is not None:
                drafts.append(turn.draft)
                altered.append(False)
            if turn.verdict is not None:
                altered[-1] = any(f.kind in _MEANING for f in turn.verdict.findings)
        return cls(tuple(drafts), tuple(altered), agreed)


def measure_drafts(
    home: StudyHome, measurer: Measurer, rounds: Sequence[int]
) -> list[DraftLeakage]:
    """Return the leakage of drafts for each maximum number of rewrites."""
    histories = _histories(home, measurer.corpus)
    return [_after(most, histories, measurer) for most in rounds]


def _after(most: int, histories: Sequence[DraftHistory], measurer: Measurer) -> DraftLeakage:
    last = [(history, min(most, len(history.drafts) - 1)) for history in histories]
    texts = [history.drafts[index].text for history, index in last]
    repeated, similar = measurer.leaked_originals(texts)
    return DraftLeakage(
        max_rounds=most,
        drafts=len(histories),
        refused=sum(history.agreed is None or history.agreed > most for history in histories),
        altered=sum(history.altered[index] for history, index in last),
        repeated=repeated,
        similar=similar,
    )


def _histories(home: StudyHome, corpus: Corpus) -> list[DraftHistory]:
    """Refine every record and keep its drafts."""
    histories: list[DraftHistory] = []

    async def record(
        members: RefinementMembers, state: Refinement, opening: TranscriptTurn
    ) -> None:
        await loop(members, state, opening)
        agreed = state.rounds if state.agreed else None
        histories.append(DraftHistory.of(state.turns, agreed))

    options = RefinementOptions(conversation=record)
    treatment = home.treatment(corpus, Variant(RECIPES["sage"]), options)

    async def refine_all() -> None:
        for document in corpus.documents:
            await treatment.treat(document)

    home.wait_for(refine_all())
    return histories
