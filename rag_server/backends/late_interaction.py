"""A reranker without weights of its own: late interaction over the embedder's token vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sage_rag.indexer.backends.minilm import WordPieces, word_pieces


class LateInteractionReranker:
    """Score by the best match of each word piece of the question in the passage (MaxSim).

    The model is all-MiniLM-L6-v2 from its package. Passages are read when they are found: storing
    the vectors of their pieces as int8 takes 100 kB per passage (docs/results/retrieval.md).

    Source: Khattab and Zaharia (2020), ColBERT, arXiv 2004.12832, §3.3, eq. 3. Differs: the model
    was not trained for it, and pieces are weighed by how few of the passages contain them.
    """

    weight = 0.3

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return the weighted mean of the best cosines of the question's pieces, in [-1, 1]."""
        asked = word_pieces(question)
        if not asked.numbers:
            return [0.0] * len(passages)
        read = [word_pieces(passage) for passage in passages]
        weights = _rarities(asked, read)
        return [_max_similarity(asked, passage, weights) for passage in read]


def _rarities(asked: WordPieces, read: Sequence[WordPieces]) -> list[float]:
    """Return the inverse document frequency of each piece of the question in the passages."""
    held = [frozenset(passage.numbers) for passage in read]
    holders = [sum(number in pieces for pieces in held) for number in asked.numbers]
    return [float(np.log(1 + (len(read) - n + 0.5) / (n + 0.5))) for n in holders]


def _max_similarity(asked: WordPieces, passage: WordPieces, weights: Sequence[float]) -> float:
    if not passage.numbers:
        return 0.0
    best = (asked.vectors @ passage.vectors.T).max(axis=1)
    return float(np.average(best, weights=weights))
