"""Rerank retrieved passages: a slower model reads the question with each of the first 50."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sage_rag.indexer.passages import Passage
from sage_rag.privacy.tokens import TOKEN, readable_view

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

    @property
    def reads_names(self) -> bool:
        """Whether it reads the names of a question, as types and numbers, or the rest alone."""
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

    Both scores are scaled to [0, 1] over the passages before their weighted sum. Ties keep the
    order of the search.
    """
    if not found:
        return []
    read = scaled(_read(question, [passage.text for passage, _ in found], reranker))
    searched = scaled([score for _, score in found])
    weight = reranker.weight
    total = [weight * r + (1 - weight) * s for r, s in zip(read, searched, strict=True)]
    order = sorted(range(len(found)), key=lambda i: (-total[i], i))
    return [(found[i][0], total[i]) for i in order]


def _read(question: str, texts: Sequence[str], reranker: Reranker) -> Sequence[float]:
    """Return the reranker's scores of readable views.

    A token has the same number in question and passages, so that a model sees who is the same
    person. A reranker that compares words alone takes each "person 1" for the same person; it reads
    the question without its tokens.
    """
    if reranker.reads_names:
        views = [paired_view(question, text) for text in texts]
        return reranker.scores(readable_view(question), views)
    return reranker.scores(TOKEN.sub(" ", question), [readable_view(text) for text in texts])


def paired_view(question: str, passage: str) -> str:
    """Return a passage's readable view in which the question's tokens keep their numbers."""
    both = readable_view(f"{question.replace(_BORDER, ' ')}{_BORDER}{passage}")
    return both.partition(_BORDER)[2]


def scaled(scores: Sequence[float]) -> list[float]:
    """Return scores as shares of the way from the worst to the best; all 1 if they are equal."""
    low, high = min(scores), max(scores)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]
