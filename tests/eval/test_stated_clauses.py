"""Clauses of a consensus, held against the sentences of the records."""

from __future__ import annotations

from sage_rag.eval.stated_clauses import unstated_clauses

RECORDS = [
    "Stop the drops if the eye is red.",
    "Stop the drops if the eye is red. Rest the knee for a week.",
    "Rest the knee for ten days.",
    "Stop the drops if it hurts. Rest the knee.",
]
SUBJECTS = ["a", "b", "c", "d"]


def counted(*passages, subjects=SUBJECTS):
    found = unstated_clauses(passages, RECORDS, subjects, 3)
    return found.successes, found.trials


def test_a_clause_that_three_subjects_say_is_stated():
    assert counted("Often: Rest the knee.") == (0, 1)


def test_advice_that_lost_its_condition_is_not_stated():
    assert counted("Stop the drops.\nRest the knee.") == (1, 2)


def test_records_of_one_subject_count_once():
    assert counted("Rest the knee.", subjects=["a", "b", "b", "b"]) == (1, 1)


def test_a_clause_that_no_record_has_is_not_stated():
    assert counted("Keep it warm.") == (1, 1)


def test_topics_are_no_clauses_and_a_repeated_clause_counts_once():
    assert counted("Rest the knee.\nTopics: eye, drops.", "Rest the knee.") == (0, 1)
