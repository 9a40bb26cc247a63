import pytest

from sage_rag.agents.rules.sentences import (
    clean_sentence,
    is_clause,
    is_complete,
    sentence_places,
    split_sentences,
    uncapitalize,
)


def test_a_run_on_is_cut_where_a_new_clause_begins():
    text = "my knee hurts since i fell on the stairs and i took a tablet but it did not help at all"
    assert split_sentences(text) == [
        "My knee hurts since I fell on the stairs.",
        "I took a tablet.",
        "It did not help at all.",
    ]


def test_a_clause_that_leans_on_the_next_is_not_cut_off():
    text = "If the wound is red or swollen, you must show it to the nurse as soon as you can."
    assert split_sentences(text) == [text]


def test_greetings_thanks_and_offers_are_left_out():
    text = (
        "Hello doctor, my ear rings. Thanks in advance. Hope this answers your question. "
        "Let me know if I can assist you further. Take care."
    )
    assert split_sentences(text) == ["My ear rings."]


def test_a_question_ends_with_its_mark_whatever_was_typed():
    assert clean_sentence("is it safe to swim.") == "Is it safe to swim?"


def test_unfinished_ends_are_cut():
    assert clean_sentence("You can rub it with oil and the") == "You can rub it with oil."


@pytest.mark.parametrize("text", ["I am ill.", "I'm ill."])
def test_contractions_stand_where_the_writer_used_them(text):
    assert split_sentences(text) == [text]


def test_titles_do_not_end_a_sentence():
    text = "Ask Dr. [PERSON_1] soon. Or Mrs. Olsen?"
    assert [text[a:b] for a, b in sentence_places(text)] == [
        "Ask Dr. [PERSON_1] soon.",
        "Or Mrs. Olsen?",
    ]


@pytest.mark.parametrize(
    ("text", "clause"), [("It hurts", True), ("Day nine", False), ("I'm tired", True)]
)
def test_a_clause_has_a_verb(text, clause):
    assert is_clause(text) is clause


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("If you feel worse", False),
        ("If you feel worse, come back", True),
        ("Once it is dry and clean", False),
        ("Come back", True),
    ],
)
def test_a_condition_alone_is_not_complete(text, complete):
    assert is_complete(text) is complete


@pytest.mark.parametrize(
    ("text", "lower"),
    [
        ("The arm", "the arm"),
        ("I am", "I am"),
        ("MRI shows", "MRI shows"),
        ("[PERSON_1] said", "[PERSON_1] said"),
        ("Dr. [PERSON_1]", "Dr. [PERSON_1]"),
    ],
)
def test_names_and_initials_keep_their_capital(text, lower):
    assert uncapitalize(text) == lower
