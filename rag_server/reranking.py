"""Rerank retrieved passages: a slower model reads the question with each of the first 50."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sage_rag.indexer.passages import Passage
from sage_rag.privacy.tokens import readable_view

DEPTH = 50
"""Passages that are read. Source: Nogueira and Cho (2019), arXiv 1901.04085, rerank up to 1000; the
right one is seldom below 50 (docs/results/retrieval.md)."""
LATE_INTERACTION = "late-interaction"
OFF = "off"
_BORDER = "\x1e"


class Reranker(Protocol):
    """Scores passages for a question. For several threads."""

    @property
    def weight(self) -> float:
        """The weight of the reranker's score; the score of the search has the rest."""
        ...

    def scores(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Return a score per passage, which grows with relevance; its scale is the reranker's.

        Question and passages are readable views, without ciphertext.
        """
        ...


def reranker_called(name: str) -> Reranker | None:
    """Return the reranker of a name: `off`, `late-interaction`, or a cross-encoder's folder.

    A cross-encoder loads with sentence-transformers on first use. Nothing is ever downloaded.
    """
    if name == OFF:
        return None
    if name == LATE_INTERACTION:
        from sage_rag.rag_server.backends.late_interaction import LateInteractionReranker

        return LateInteractionReranker()
    from sage_rag.rag_server.backends.cross_encoder import CrossEncoderReranker

    return CrossEncoderReranker(name)


def rerank(
    question: str, found: Sequence[tuple[Passage, float]], reranker: Reranker
) -> list[tuple[Passage, float]]:
    """Return passages with new scores in [0, 1], best first; `found` has the scores of the search.

    Both scores are scaled to [0, 1] over the passages before their weighted sum. A token has the
    same number in the views of question and passages, so that a model sees who is the same person.
    Ties keep the order of the search.
    """
    if not found:
        return []
    views = [paired_view(question, passage.text) for passage, _ in found]
    read = scaled(reranker.scores(readable_view(question), views))
    searched = scaled([score for _, score in found])
    weight = reranker.weight
    total = [weight * r + (1 - weight) * s for r, s in zip(read, searched, strict=True)]
    order = sorted(range(len(found)), key=lambda i: (-total[i], i))
    return [(found[i][0], total[i]) for i in order]


def paired_view(question: str, passage: str) -> str:
    """Return a passage's readable view in which the question's tokens keep their numbers."""
    both = readable_view(f"{question.replace(_BORDER, ' ')}{_BORDER}{passage}")
    return both.partition(_BORDER)[2]


def scaled(scores: Sequence[float]) -> list[float]:
    """Return scores as shares of the way from the worst to the best; all 1 if they are equal."""
    low, high = min(scores), max(scores)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]
