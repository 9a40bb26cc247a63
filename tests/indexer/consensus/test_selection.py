"""Which statements of a topic are published."""

from __future__ import annotations

import numpy as np

from sage_rag.indexer.consensus.candidates import Candidate
from sage_rag.indexer.consensus.phrases import Phrase
from sage_rag.indexer.consensus.selection import choose
from sage_rag.indexer.consensus.writer import clauses_in_order, write
from sage_rag.privacy.gate.support import SupportCounts, SupportGate


def candidate(text, share=0.3, place=0.5, phrase=Phrase.TOPIC):
    words = tuple(text.lower().split())
    return Candidate(words, text, frozenset(words), share, place, phrase)


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


def test_clauses_come_first_and_leave_room_for_topics():
    advice = candidate("drink plenty of warm water daily", phrase=Phrase.CLAUSE)
    others = [candidate("cough"), candidate("dry throat"), candidate("night")]
    chosen = choose([*others, advice], vectors(*[(1, 0)] * 4), CENTROID, 10)
    assert chosen[0] == 3
    assert len(chosen) > 1
    assert 3 not in choose([*others, advice], vectors(*[(1, 0)] * 4), CENTROID, 8)


def clause(text, share=0.3, place=0.5):
    return candidate(text, share, place, Phrase.CLAUSE)


def test_frequent_clauses_come_first_then_the_records_order():
    late, early, often = clause("b", place=0.9), clause("a", place=0.1), clause("c", 0.5)
    assert clauses_in_order([late, candidate("d"), early, often]) == [often, early, late]


def test_topics_are_a_list_in_the_last_line_the_most_frequent_first():
    texts = [["rest the knee"], ["knee pain"], ["swelling"]] * 3
    gate = SupportGate(SupportCounts((str(n), text) for n, text in enumerate(texts)), 3)
    chosen = [candidate("swelling", 0.3), candidate("knee pain", 0.6), clause("rest the knee", 0.5)]
    assert write(chosen, gate, [], ()) == "Often: rest the knee.\nTopics: knee pain, swelling."
    assert write(chosen[:1], gate, [], ()) == "Topics: swelling."
    assert write([], gate, [], ()) == ""


def test_a_list_begins_with_the_first_of_its_heads_that_may_follow_what_precedes_it():
    texts = [["you may have gout"]] * 6
    gate = SupportGate(SupportCounts((str(n), text) for n, text in enumerate(texts)), 3)
    chosen = [candidate("gout", phrase=Phrase.POSSIBLE)]
    heads = ("after lunch, you may have", "you may have")
    assert write(chosen, gate, [], heads) == "After lunch, you may have, notably: gout."
    assert write(chosen, gate, [], heads[1:]) == "You may have, notably: gout."
    assert write(chosen, gate, [], ()) == "Possible: gout."
    rare = SupportCounts([*((str(n), t) for n, t in enumerate(texts)), ("x", ["milk you may"])])
    assert write(chosen, SupportGate(rare, 3), ["milk"], heads[1:]) == "Possible: gout."
