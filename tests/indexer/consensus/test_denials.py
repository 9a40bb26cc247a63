"""What most records of a topic deny is not published as what several say."""

from __future__ import annotations

import pytest

from sage_rag.indexer.consensus.denials import is_denied, senses
from sage_rag.privacy.gate.support import content_stems

TAKE = "You should take the syrup."
LEAVE = "You should not take the syrup."


def denied(statement, *texts):
    words = statement.lower().split()
    return is_denied(content_stems(statement), words, [tuple(senses(text)) for text in texts])


@pytest.mark.parametrize(("takers", "leavers", "expected"), [(3, 2, False), (2, 3, True)])
def test_what_more_records_deny_than_say_is_denied(takers, leavers, expected):
    assert denied("take the syrup", *[TAKE] * takers, *[LEAVE] * leavers) is expected


def test_a_record_that_also_says_it_does_not_deny_it():
    assert not denied("take the syrup", TAKE, f"{LEAVE} At night take the syrup.")


def test_a_negative_statement_is_denied_by_no_negative_sentence():
    assert not denied("do not take the syrup", LEAVE, LEAVE)


def test_other_sentences_deny_nothing():
    assert not denied("take the syrup", TAKE, "You should not run.", "No syrup is left.")
