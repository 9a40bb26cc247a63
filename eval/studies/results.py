"""The results of the study of SAGE, as its JSON file holds them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict

from sage_rag.common.proportions import Proportion
from sage_rag.eval.attack import WHOLE_INDEX
from sage_rag.eval.report import AttackReport, Group
from sage_rag.eval.studies.environment import Environment
from sage_rag.eval.studies.indexing import Indexing

_RESAMPLES = 2000


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Ratio(_Frozen):
    """A mean as a share of another over the same questions, with a 95 % interval.

    The interval is a percentile bootstrap over questions, seeded.
    """

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, own: Sequence[float], reference: Sequence[float]) -> Ratio | None:
        """Return the ratio of the two means, one value per question each; `None` over nothing."""
        pairs = np.asarray([own, reference], dtype=np.float64)
        if not pairs[1].any():
            return None
        drawn = np.random.default_rng(0).integers(0, pairs.shape[1], (_RESAMPLES, pairs.shape[1]))
        sums = pairs[:, drawn].sum(axis=2)
        ratios = sums[0, sums[1] > 0] / sums[1, sums[1] > 0]  # a draw of nothing says nothing
        low, high = (round(float(q), 4) for q in np.quantile(ratios, (0.025, 0.975)))
        return cls(value=round(float(pairs[0].sum() / pairs[1].sum()), 4), low=low, high=high)


class Answering(_Frozen):
    """What answers from the first `top_k` passages are worth, and as a share of `origin`'s."""

    top_k: int
    rouge_l: float
    bleu_1: float
    rouge_ratio: Ratio | None
    bleu_ratio: Ratio | None


class IndexMeasurement(_Frozen):
    """Everything measured of one index.

    `rounds` counts published records by how often they were rewritten. `agreement`: the passage
    that `origin` puts first is in the first 5. `known_items`: records that half of their own text
    finds at rank 1; those that are quarantined count as not found.
    """

    name: str
    documents: int
    published: int
    quarantined: int
    reasons: dict[str, int]
    rounds: dict[int, int]
    attacks: tuple[AttackReport, ...]
    answers: tuple[Answering, ...]
    agreement: Proportion
    known_items: Proportion
    known_ratio: Ratio | None

    @property
    def quarantine(self) -> Proportion:
        """The share of records that are not published."""
        return Proportion.of(self.quarantined, self.documents)

    @property
    def whole_index(self) -> Group:
        """What the index itself shows, whatever is asked."""
        return next(group for group in self.attacks[0].groups if group.name == WHOLE_INDEX)

    def group(self, top_k: int, kind: str) -> Group:
        """Return what prompts of one kind brought out with so many passages retrieved."""
        report = next(report for report in self.attacks if report.top_k == top_k)
        return next(group for group in report.groups if group.name == kind)

    def answering(self, top_k: int) -> Answering | None:
        """Return the answers from so many passages, where questions have true answers."""
        return next((found for found in self.answers if found.top_k == top_k), None)


class IndexComparison(_Frozen):
    """One corpus in several variants, `origin` first. `marked`: values that people marked."""

    corpus: str
    documents: int
    questions: int
    known_items: int
    marked: int
    prompts: dict[str, int]
    rows: tuple[IndexMeasurement, ...]

    def row(self, name: str) -> IndexMeasurement | None:
        """Return a variant's results, where it was measured."""
        return next((row for row in self.rows if row.name == name), None)


class Drafts(_Frozen):
    """Drafts as they stand after at most so many rewrites, whatever gate and reviewer say.

    `refused` counts those that are not agreed upon; `repeated` and `similar` the originals of
    which a run of ten words, or a text over ROUGE-L 0.5, shows.
    """

    max_rounds: int
    drafts: int
    refused: int
    repeated: int
    similar: int


class Calls(_Frozen):
    """What a scripted model was asked under one choice of savings, and its dollars, per record.

    `repeated`: originals of which the published index repeats ten words.
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


class Part(_Frozen):
    """One part of the study, with where and how it was run. `seconds`: wall time of all of it."""

    command: str
    environment: Environment
    agents: str
    seconds: float
    compared: tuple[IndexComparison, ...] = ()
    drafts: tuple[Drafts, ...] = ()
    calls: tuple[Calls, ...] = ()
    indexing: tuple[Indexing, ...] = ()


class Study(_Frozen):
    """The parts that were run, by name."""

    parts: dict[str, Part]
