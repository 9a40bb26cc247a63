"""MAUVE with the vectors of our own embedder.

Source: Pillutla et al. (2021), arXiv 2102.01454. Differs: the features are those of a sentence
encoder, not of GPT-2, so a score compares with others of the same encoder alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sage_rag.common.exceptions import extra
from sage_rag.indexer.protocols import Embedder


def mauve(texts: Sequence[str], reference: Sequence[str], embedder: Embedder) -> float:
    """Return the score in (0, 1]: 1 for equal distributions; seeded.

    It clusters the vectors into a tenth as many groups as there are texts: under some hundred texts
    it has few groups and says little.

    Raises:
        MissingExtraError: without the extra `mauve`.
    """
    with extra("mauve", needed_by="MAUVE"):
        from mauve import compute_mauve
    found: Any = compute_mauve(
        p_features=np.asarray(embedder.embed(list(texts)), dtype=np.float32),
        q_features=np.asarray(embedder.embed(list(reference)), dtype=np.float32),
        verbose=False,
        seed=0,
    )
    return float(found.mauve)
