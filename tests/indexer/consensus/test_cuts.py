"""What may be cut from a sentence, and what would change what it says."""

from __future__ import annotations

import pytest

from sage_rag.indexer.consensus.cuts import is_conditional, is_fronted, may_end, may_open


def cut(sentence):
    """Return the words of a sentence, and where `|` stands in it."""
    before, _, after = sentence.partition("|")
    return [*before.split(), *after.split()], len(before.split())


@pytest.mark.parametrize(
    ("sentence", "allowed"),
    [
        ("take rest | for a week", True),
        ("keep a diary | because they will ask for it", True),
        ("do not use bleach | on large areas", False),
        ("do not take it | with milk", False),
        ("do not drink | and drive", False),
        ("do not rest | but walk", True),
        ("avoid hot | and spicy food", False),
        ("you may swim | in shallow water", False),
        ("you can drive | with an automatic", False),
        ("call us | before you take it", False),
        ("wash it | after each meal", False),
        ("take the tablets | or the drops", False),
        ("it must be repaired between october | and april", False),
        ("either the landlord | and not the tenant pays", False),
        ("use only the cream | on your face", False),
        ("the scan was so clear | that we stopped", False),
        ("each tenant pays | for the water", False),
    ],
)
def test_a_cut_sentence_still_says_what_it_said(sentence, allowed):
    tokens, end = cut(sentence)
    assert may_end(tokens, 0, end) is allowed


def test_a_whole_sentence_may_have_any_words():
    tokens = "you may not swim in deep water".split()
    assert may_end(tokens, 0, len(tokens))


@pytest.mark.parametrize(
    ("sentence", "allowed"),
    [
        ("we will see whether | the lump is malignant", False),
        ("it is better than | the tablets are", False),
        ("she says that | you are ill", False),
        ("she says that | the landlord is liable", False),
        ("it looks like | you may have gout", True),
        ("the landlord and | the tenant are liable", False),
        ("the flat was clean and | the keys were returned", True),
        ("call a doctor or | the swelling will spread", False),
        ("rest now because | the ankle is swollen", True),
        ("| the ankle is swollen", True),
    ],
)
def test_a_clause_begins_where_no_one_else_says_it(sentence, allowed):
    tokens, start = cut(sentence)
    assert may_open(tokens, start, len(tokens)) is allowed


@pytest.mark.parametrize(
    ("words", "fronted"),
    [
        ("for severe pain", True),
        ("after the operation", True),
        ("with a history of ulcers", True),
        ("in my opinion", False),
        ("in addition", False),
        ("so", False),
        ("at night he is restless", False),
        ("", False),
    ],
)
def test_words_before_a_statement_restrict_it(words, fronted):
    assert is_fronted(words.split()) is fronted


@pytest.mark.parametrize(
    ("sentence", "conditional"),
    [
        ("in case of bleeding call us", True),
        ("you can stay as long as you pay", True),
        ("we will see whether it helps", True),
        ("take it till friday", True),
        ("see a doctor as soon as possible", False),
        ("the case is closed", False),
    ],
)
def test_conditions_are_found(sentence, conditional):
    assert is_conditional(sentence.split()) is conditional
