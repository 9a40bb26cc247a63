"""The results of the study of retrieval, as its JSON file holds them."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from pydantic import BaseModel, ConfigDict

from sage_rag.common.proportions import Proportion
from sage_rag.eval.ratio import Ratio

DEPTH = 10
"""Ranks that nDCG and MRR count."""
TOP = 5
"""Passages that a server retrieves by default."""


class MeanScore(BaseModel):
    """A mean over questions, and its ratio to that of the plain index over the same questions."""

    model_config = ConfigDict(frozen=True)
    value: float
    ratio: Ratio | None


class SearchScores(BaseModel):
    """One way of searching one index, on the questions that chose no setting.

    `judged`: questions with a relevant passage that is published. `agreement`: the plain index's
    first passage, of those that are published here, is in the top 5. `known`: a record is first for
    half of its own text. `median_ms`: of the search alone, on one core.
    """

    model_config = ConfigDict(frozen=True)
    corpus: str
    recipe: str
    reranker: str
    documents: int
    published: int
    judged: int
    ndcg: MeanScore
    mrr: MeanScore
    hits: Proportion
    hit_ratio: Ratio | None
    agreement: Proportion
    known: Proportion
    median_ms: float


def ndcg(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """Return nDCG@10 with binary gains of a ranking without repetitions.

    Source: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", ACM
    TOIS 20(4), §2.2, with the discount 1/log2(rank + 1).
    """
    gained = sum(_discount(rank) for rank, found in enumerate(ranked[:DEPTH]) if found in relevant)
    best = sum(map(_discount, range(min(DEPTH, len(relevant)))))
    return gained / best if best else 0.0


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """Return 1 / rank of the first relevant passage among the first ten, else 0."""
    ranks = (rank for rank, found in enumerate(ranked[:DEPTH], start=1) if found in relevant)
    return 1 / next(ranks, math.inf)


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 2)
