"""Sentences are cut where a clause stands alone, and read without contractions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.gate.facts.sentences import read_clauses, read_pieces, tokenize


def clauses(text: str) -> list[str]:
    return [
        text[start:end][c.start : c.end]
        for start, end in read_pieces(text)
        for c in read_clauses(text[start:end])
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't know", ["i", "do", "not", "know"]),
        ("he can't, she won't", ["he", "can", "not", ",", "she", "will", "not"]),
        ("it didnt help", ["it", "did", "not", "help"]),
        ("[PERSON_1]'s arm", ["[PERSON_1]", "'", "s", "arm"]),
    ],
)
def test_contractions_are_written_out(text: str, words: list[str]) -> None:
    assert [token.text for token in tokenize(text)] == words


def test_a_narrative_is_cut_at_clauses_with_their_own_subject() -> None:
    text = "I fell on the stairs yesterday and she called a taxi, but he refused to come."
    assert clauses(text) == [
        "I fell on the stairs yesterday",
        "and she called a taxi,",
        "but he refused to come.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Take it daily and she should watch for a rash.",
        "If the pain returns and he feels cold call us.",
    ],
)
def test_an_instruction_or_a_condition_stays_whole(text: str) -> None:
    assert clauses(text) == [text]


def test_a_semicolon_and_a_missing_space_end_a_sentence() -> None:
    assert clauses("Rest today; eat well.Then walk.") == ["Rest today;", "eat well.", "Then walk."]


@given(st.text(max_size=80))
def test_any_text_is_read_at_its_own_positions(text: str) -> None:
    for start, end in read_pieces(text):
        for clause in read_clauses(text[start:end]):
            assert 0 <= clause.start < clause.end <= end - start
            assert len(clause.text) == clause.end - clause.start
