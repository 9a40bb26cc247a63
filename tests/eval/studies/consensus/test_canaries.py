"""Planted facts, in invented records."""

from sage_rag.eval.studies.consensus.canaries import canaries, expected, plant, published
from sage_rag.indexer.testing import HashEmbedder
from tests.eval.studies.study_data import dialogues

RECORDS = dialogues(60)


def test_facts_are_about_words_of_their_own():
    facts = canaries(20)
    assert len({fact.word for fact in facts}) == 20
    assert all(fact.word in fact.sentence for fact in facts)
    assert published(facts, [r["question"] for r in RECORDS]).successes == 0


def test_each_fact_is_planted_in_as_many_alike_records_as_asked():
    facts = canaries(8)
    for subjects in (1, 2, 3, 5):
        planted = plant(RECORDS, facts, subjects, HashEmbedder(), "question")
        for fact in facts:
            holders = [r for r in planted if fact.sentence in r["question"]]
            assert len(holders) == subjects
        assert all(sum(f.word in r["question"] for f in facts) <= 1 for r in planted)
        assert [r["answer"] for r in planted] == [r["answer"] for r in RECORDS]
        assert published(facts, [r["question"] for r in planted]).successes == 8


def test_facts_of_fewer_than_k_subjects_must_not_appear():
    assert [expected(n, 3) for n in (1, 2, 3, 5)] == ["must not", "must not", "may", "may"]
