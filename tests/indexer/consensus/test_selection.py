"""Which statements of a topic are published."""

from __future__ import annotations

import numpy as np

from sage_rag.indexer.consensus.candidates import Candidate
from sage_rag.indexer.consensus.selection import choose
from sage_rag.indexer.consensus.writer import in_order


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


def test_frequent_statements_come_first_then_the_records_order():
    late, early, often = candidate("b", place=0.9), candidate("a", place=0.1), candidate("c", 0.5)
    assert in_order([late, early, often]) == [often, early, late]
