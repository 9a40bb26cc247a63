"""Drafts by round: what would leak if the gate were not heard after so many rewrites.

The authors' code does so: a draft that is still unsafe after the last round is used as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sage_rag.agents.protocols import Draft
from sage_rag.agents.refinement import Refinement, RefinementMembers, RefinementOptions, loop
from sage_rag.agents.transcript import TranscriptTurn
from sage_rag.eval.studies.bench import StudyHome, Variant
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.measuring import Measurer
from sage_rag.eval.studies.results import Drafts
from sage_rag.indexer.job import treatment_of
from sage_rag.indexer.recipes import RECIPES


@dataclass(frozen=True, slots=True)
class _Story:
    """The drafts of one record, first to last, and after how many rewrites all agreed, if ever."""

    drafts: tuple[Draft, ...]
    agreed: int | None


def measure_drafts(bench: StudyHome, measurer: Measurer, rounds: Sequence[int]) -> list[Drafts]:
    """Return what the drafts show after each number of rewrites at most."""
    stories = _stories(bench, measurer.corpus)
    return [_after(most, stories, measurer) for most in rounds]


def _after(most: int, stories: Sequence[_Story], measurer: Measurer) -> Drafts:
    texts = [story.drafts[min(most, len(story.drafts) - 1)].text for story in stories]
    repeated, similar = measurer.shown(texts)
    return Drafts(
        max_rounds=most,
        drafts=len(stories),
        refused=sum(story.agreed is None or story.agreed > most for story in stories),
        repeated=repeated,
        similar=similar,
    )


def _stories(bench: StudyHome, corpus: Corpus) -> list[_Story]:
    """Refine every record and listen. What is shared between records is done elsewhere."""
    stories: list[_Story] = []

    async def listen(
        members: RefinementMembers, state: Refinement, opening: TranscriptTurn
    ) -> None:
        await loop(members, state, opening)
        drafts = tuple(turn.draft for turn in state.turns if turn.draft is not None)
        stories.append(_Story(drafts, state.rounds if state.agreed else None))

    job = bench.job(corpus, Variant(RECIPES["sage"]))
    treatment = treatment_of(replace(job, refinement=RefinementOptions(conversation=listen)))
    if treatment is None:
        raise ValueError("recipe sage protects")
    treatment.attributes = bench.attributes(corpus, job)

    async def refine_all() -> None:
        for document in corpus.documents:
            await treatment.treat(document)

    bench.wait_for(refine_all())
    return stories
