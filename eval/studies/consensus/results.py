"""The results of the study of `consensus`, as its JSON file holds them."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from sage_rag.common.proportions import Proportion
from sage_rag.eval.linkage import Exposure
from sage_rag.eval.membership import Membership
from sage_rag.eval.rare_runs import RareRuns
from sage_rag.eval.ratio import Ratio
from sage_rag.eval.studies.consensus.growth import GrowthFigures
from sage_rag.eval.studies.parts import FrozenModel, PartRun
from sage_rag.eval.studies.sage.indexing_cost import IndexingCost


class AnswerUtility(FrozenModel):
    """Answers to held-out questions, against the true answers, without courtesies on both sides.

    Means over the questions whose true answer has content; a refused question scores 0. The ratios
    compare with `origin` over the same questions. `unrelated`: the same answers against the true
    answers of other questions.
    """

    questions: int
    refused: Proportion
    content_f1: float
    cosine: float
    rouge_l: float
    bleu_1: float
    ratios: dict[str, Ratio | None]
    unrelated: dict[str, float]

    @property
    def means(self) -> dict[str, float]:
        """The mean of each measure, by the names of `ratios`."""
        return {
            "content_f1": self.content_f1,
            "cosine": self.cosine,
            "rouge_l": self.rouge_l,
            "bleu_1": self.bleu_1,
        }


class Wording(FrozenModel):
    """What passages have in common with originals, word for word.

    `repeated`: passages with ten words in a row of any original; `similar`: with ROUGE-L F over 0.5
    with any original. `rare`: runs shared with fewer than k subjects. `unstated`: clauses that
    fewer than k subjects say, by the gate for meaning; of a consensus alone.
    """

    repeated: Proportion
    similar: Proportion
    rare: RareRuns
    unstated: Proportion | None = None


class IndexFigures(FrozenModel):
    """All measurements of one index.

    `records` were indexed; `represented` of them contributed to a passage. `refused`: records or
    topics that are not published, by reason. `exposures` ask membership of all records; `exposed`
    is the attack with the largest area on the represented records alone. `k`: subjects a statement;
    `None` for other recipes.
    """

    name: str
    k: int | None
    records: int
    subjects: int
    passages: int
    represented: int
    refused: dict[str, int]
    words: float
    exposures: tuple[Exposure, ...]
    exposed: Membership
    utility: AnswerUtility | None = None
    wording: Wording | None = None
    topic_records: int | None = None

    def exposure(self, likeness: str) -> Exposure:
        """Return linkage and membership by one kind of likeness."""
        return next(found for found in self.exposures if found.likeness == likeness)

    @property
    def worst(self) -> Membership:
        """The membership attack with the largest area; the largest detection is `detected`."""
        return worst_of(self.exposures)

    @property
    def detected(self) -> Proportion:
        """The members found at 1 % false alarms by the attack that finds most."""
        return max(
            (found.detected for found in memberships(self.exposures)), key=lambda p: p.successes
        )


def memberships(exposures: Sequence[Exposure]) -> list[Membership]:
    """Return the membership attacks that were measured."""
    return [found.membership for found in exposures if found.membership is not None]


def worst_of(exposures: Sequence[Exposure]) -> Membership:
    """Return the membership attack with the largest area."""
    return max(memberships(exposures), key=lambda found: found.auc)


class CorpusFigures(FrozenModel):
    """One split of a corpus under several recipes, `origin` first.

    `unpublished`: choices of `consensus` that would represent next to no record.
    """

    corpus: str
    seed: int
    indexed: int
    others: int
    questions: int
    rows: tuple[IndexFigures, ...]
    unpublished: tuple[str, ...] = ()

    def row(self, name: str) -> IndexFigures | None:
        """Return the figures of an index; `None` if it was not measured."""
        return next((row for row in self.rows if row.name == name), None)


class CanaryFigures(FrozenModel):
    """Invented facts, each planted in the records of `subjects` subjects of one neighbourhood."""

    subjects: int
    published: Proportion


class StudyPart(PartRun):
    """One part of the study."""

    splits: tuple[CorpusFigures, ...] = ()
    canaries: tuple[CanaryFigures, ...] = ()
    canary_k: int = 0
    indexing: tuple[IndexingCost, ...] = ()
    growth: tuple[GrowthFigures, ...] = ()


class ConsensusStudy(FrozenModel):
    """The parts that were run, by name."""

    parts: dict[str, StudyPart] = Field(default_factory=dict)
