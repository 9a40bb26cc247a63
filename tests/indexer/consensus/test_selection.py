"""Which statements of a topic are published."""

from __future__ import annotations

import numpy as np

from sage_rag.indexer.consensus.candidates import Candidate
from sage_rag.indexer.consensus.selection import choose, without_distractions
from sage_rag.indexer.consensus.writer import in_order
from sage_rag.indexer.testing import HashEmbedder


def candidate(text, share=0.3, place=0.5):
    words = tuple(text.lower().split())
    return Candidate(words, text, frozenset(words), share, place)


def vectors(*rows):
    table = np.array(rows, dtype=np.float32)
    return table / np.linalg.norm(table, axis=1, keepdims=True)


CENTROID = np.array([1, 0], dtype=np.float32)


def test_the_nearest_come_first_and_the_far_not_at_all():
    found = [candidate("dry cough"), candidate("knee pain"), candidate("night cough")]
    assert choose(found, vectors((2, 1), (0, 1), (1, 0)), CENTROID, 10) == [2, 0]


def test_what_is_said_is_not_said_again():
    found = [candidate("a dry cough at night"), candidate("dry cough")]
    assert choose(found, vectors((1, 0), (1, 0)), CENTROID, 10) == [0]


def test_words_fit_the_room():
    found = [candidate("one two three"), candidate("four five"), candidate("six seven eight")]
    chosen = choose(found, vectors((1, 0), (1, 0), (1, 0)), CENTROID, 5)
    assert sum(len(found[row].key) for row in chosen) <= 5
    assert choose(found, vectors((1, 0), (1, 0), (1, 0)), CENTROID, 1) == []


def test_a_statement_that_draws_the_text_away_is_dropped():
    embedder = HashEmbedder()
    words = "cough fever throat voice nose chest lungs sneeze".split()
    centroid = embedder.embed([" ".join(words)])[0]
    found = [candidate(word) for word in [*words, "parachute"]]
    kept = [c.text for c in without_distractions(found, embedder, centroid)]
    assert "parachute" not in kept
    assert len(kept) >= len(words) - 3


def test_a_short_text_stays_as_it_is():
    found = [candidate("cough"), candidate("parachute")]
    embedder = HashEmbedder()
    assert without_distractions(found, embedder, embedder.embed(["cough"])[0]) == found


def test_frequent_statements_come_first_then_the_records_order():
    late, early, often = candidate("b", place=0.9), candidate("a", place=0.1), candidate("c", 0.5)
    assert in_order([late, early, often]) == [often, early, late]
