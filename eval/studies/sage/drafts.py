"""Measure drafts by round: what would leak if drafts were used without the gate.

The authors' code does this: it uses a draft that is still unsafe after the last round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sage_rag.agents.protocols import Draft
from sage_rag.agents.refinement import Refinement, RefinementMembers, RefinementOptions, loop
from sage_rag.agents.transcript import TranscriptTurn
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.sage.measurer import Measurer
from sage_rag.eval.studies.sage.results import DraftLeakage
from sage_rag.eval.studies.study_home import StudyHome, Variant
from sage_rag.indexer.recipes import RECIPES


@dataclass(frozen=True, slots=True)
class _DraftHistory:
    """The drafts of one record in order, and the rewrites until all members agreed, if they did."""

    drafts: tuple[Draft, ...]
    agreed: int | None


def measure_drafts(
    home: StudyHome, measurer: Measurer, rounds: Sequence[int]
) -> list[DraftLeakage]:
    """Return the leakage of drafts for each maximum number of rewrites."""
    histories = _histories(home, measurer.corpus)
    return [_after(most, histories, measurer) for most in rounds]


def _after(most: int, histories: Sequence[_DraftHistory], measurer: Measurer) -> DraftLeakage:
    texts = [history.drafts[min(most, len(history.drafts) - 1)].text for history in histories]
    repeated, similar = measurer.leaked_originals(texts)
    return DraftLeakage(
        max_rounds=most,
        drafts=len(histories),
        refused=sum(history.agreed is None or history.agreed > most for history in histories),
        repeated=repeated,
        similar=similar,
    )


def _histories(home: StudyHome, corpus: Corpus) -> list[_DraftHistory]:
    """Refine every record and keep its drafts."""
    histories: list[_DraftHistory] = []

    async def record(
        members: RefinementMembers, state: Refinement, opening: TranscriptTurn
    ) -> None:
        await loop(members, state, opening)
        drafts = tuple(turn.draft for turn in state.turns if turn.draft is not None)
        histories.append(_DraftHistory(drafts, state.rounds if state.agreed else None))

    options = RefinementOptions(conversation=record)
    treatment = home.treatment(corpus, Variant(RECIPES["sage"]), options)

    async def refine_all() -> None:
        for document in corpus.documents:
            await treatment.treat(document)

    home.wait_for(refine_all())
    return histories
