"""The results of the study of SAGE, as its JSON file holds them."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from pydantic import Field

from sage_rag.common.proportions import Proportion
from sage_rag.eval.attack import WHOLE_INDEX
from sage_rag.eval.detectors.rouge import THRESHOLD
from sage_rag.eval.detectors.runs import RUN_TOKENS
from sage_rag.eval.linkage import Exposure
from sage_rag.eval.ratio import Ratio
from sage_rag.eval.report import AttackReport, Group
from sage_rag.eval.studies.parts import FrozenModel, PartRun
from sage_rag.eval.studies.sage.indexing_cost import IndexingCost
from sage_rag.privacy.gate.leakage import Comparison


class AnswerScores(FrozenModel):
    """Utility of answers from the first `top_k` passages, and its ratio to `origin`'s."""

    top_k: int
    rouge_l: float
    bleu_1: float
    rouge_ratio: Ratio | None
    bleu_ratio: Ratio | None


class WordingLikeness(FrozenModel):
    """How like passages are to their own originals.

    `order_free`: the median ROUGE-Lsum F; `over_half`: passages with more than 0.5. `at_limit`:
    passages whose longest shared run has nine words, the most that the gate allows.
    """

    order_free: float
    over_half: Proportion
    at_limit: Proportion

    @classmethod
    def of(cls, compared: Sequence[Comparison]) -> WordingLikeness:
        """Summarise comparisons of passages with their originals, at least one."""
        likeness = [comparison.order_free for comparison in compared]
        runs = [comparison.longest_shared_run for comparison in compared]
        return cls(
            order_free=round(median(likeness), 4),
            over_half=Proportion.of(sum(value > THRESHOLD for value in likeness), len(compared)),
            at_limit=Proportion.of(runs.count(RUN_TOKENS - 1), len(compared)),
        )


class IndexMeasurement(FrozenModel):
    """All measurements of one index.

    `rounds` counts published records by number of rewrites. `agreement`: `origin`'s first passage
    is among the first 5. `known_items`: records found at rank 1 by half of their own text;
    quarantined records count as not found. `kept`: of the published records' content, by kind: how
    many the passages keep, and how many the records have.
    """

    name: str
    documents: int
    published: int
    quarantined: int
    reasons: dict[str, int]
    rounds: dict[int, int]
    attacks: tuple[AttackReport, ...]
    answers: tuple[AnswerScores, ...]
    agreement: Proportion
    known_items: Proportion
    known_ratio: Ratio | None
    wording: WordingLikeness | None = None
    exposures: tuple[Exposure, ...] = ()
    kept: dict[str, tuple[int, int]] = Field(default_factory=dict)

    @property
    def quarantine(self) -> Proportion:
        """The share of unpublished records."""
        return Proportion.of(self.quarantined, self.documents)

    @property
    def whole_index(self) -> Group:
        """The leakage of the index itself, independent of prompts."""
        return self.attacks[0].group(WHOLE_INDEX)

    def group(self, top_k: int, kind: str) -> Group:
        """Return the leakage through prompts of one kind with `top_k` passages each."""
        return next(report for report in self.attacks if report.top_k == top_k).group(kind)

    def exposure(self, likeness: str) -> Exposure | None:
        """Return linkage and membership by one kind of likeness; `None` if not measured."""
        return next((found for found in self.exposures if found.likeness == likeness), None)

    def answering(self, top_k: int) -> AnswerScores | None:
        """Return the scores for `top_k` passages; `None` if questions have no true answers."""
        return next((found for found in self.answers if found.top_k == top_k), None)


class IndexComparison(FrozenModel):
    """One corpus in several variants, `origin` first. `marked`: values that annotators marked."""

    corpus: str
    documents: int
    questions: int
    known_items: int
    marked: int
    prompts: dict[str, int]
    rows: tuple[IndexMeasurement, ...]

    def row(self, name: str) -> IndexMeasurement | None:
        """Return a variant's results; `None` if it was not measured."""
        return next((row for row in self.rows if row.name == name), None)


class DraftLeakage(FrozenModel):
    """Drafts after at most `max_rounds` rewrites, without the verdicts of gate and reviewer.

    `refused` counts drafts without agreement, `altered` those in which the gate finds a change of
    meaning. `repeated` counts originals with a shared run of ten words, `similar` originals with
    ROUGE-L over 0.5.
    """

    max_rounds: int
    drafts: int
    refused: int
    altered: int = 0
    repeated: int
    similar: int


class CallCost(FrozenModel):
    """Calls, tokens and dollars of a scripted model per record, under one choice of savings.

    `repeated`: originals with a run of ten words in the published index.
    """

    name: str
    documents: int
    published: int
    calls_mean: float
    calls_median: float
    tokens_mean: float
    money_mean: float
    stages: dict[str, float]
    """Calls per record, by stage."""
    repeated: int


class StudyPart(PartRun):
    """One part of the study."""

    agents: str
    compared: tuple[IndexComparison, ...] = ()
    drafts: tuple[DraftLeakage, ...] = ()
    calls: tuple[CallCost, ...] = ()
    indexing: tuple[IndexingCost, ...] = ()


class SageStudy(FrozenModel):
    """The parts that were run, by name."""

    parts: dict[str, StudyPart] = Field(default_factory=dict)
