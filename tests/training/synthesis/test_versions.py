"""No text of a synthesis changes under old versions of its parts."""

from __future__ import annotations

import hashlib

from sage_rag.training.synthesis import association, entities, filtering, recipes, writing
from sage_rag.training.synthesis.recipes import Recipe
from sage_rag.training.synthesis.samples import SourceDocument
from sage_rag.training.synthesis.synthesis import synthesize
from tests.training.synthesis.texts import CHINESE, documents, recognizer

PARTS = (entities, association, recipes, writing, filtering)
RECORDED = ((1, 2, 2, 5, 3), "56e531fff4eeb01a")


def test_texts_change_only_with_a_version() -> None:
    """After an intended change, raise the `VERSION` of its module and record both here."""
    sources = [*documents(2), SourceDocument("zh", CHINESE)]
    texts = [
        sample.text
        for recipe in Recipe
        for sample in synthesize(sources, cipher=None, recipe=recipe, recognizer=recognizer())
    ]
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
    assert (tuple(part.VERSION for part in PARTS), digest) == RECORDED
