import pytest

from sage_rag.agents.rules.sentences import (
    clean_sentence,
    is_clause,
    is_complete,
    sentences_and_gaps,
    separate,
    split_sentences,
    uncapitalize,
)
from tests.growth import LINEAR, growth


def test_a_run_on_of_plain_statements_gets_its_stops_back():
    text = (
        "my knee hurts on the stairs at work and i have a brace from the clinic and i took a tablet "
        "on each of the last days should i see a surgeon or a nurse"
    )
    assert split_sentences(text) == [
        "My knee hurts on the stairs at work.",
        "I have a brace from the clinic.",
        "I took a tablet on each of the last days.",
        "Should I see a surgeon or a nurse?",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "my knee hurts since i fell on the stairs and i took a tablet but it did not help at all",
        "the nurse told me that the knee is fine and i have to rest it at home for a while and i "
        "can walk a little after one week if it is not swollen",
        "based on the swelling of the knee, it is possible that you have a torn band and that is "
        "often caused by a fall or by a blow on the side of the knee",
        "do not take the tablets if you are pregnant and i think you should see a nurse about the "
        "swelling of the knee before the end of the week or at noon",
    ],
)
def test_a_sentence_in_which_something_governs_the_rest_stays_whole(text):
    assert len(split_sentences(text)) == 1


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It was 103 - 105.", ["It was 103-105."]),
        ("Stand up slowly; it drops your pressure.", ["Stand up slowly; it drops your pressure."]),
        ("Take tea, rice etc. at noon.", ["Take tea, rice etc. at noon."]),
        ("It is fine (so far. (see page two) and so on).", None),
        ("A cough..or a cold?", ["A cough, or a cold?"]),
        ("Take one tab. Daily at noon.", ["Take one tab. Daily at noon."]),
        ("We meet on Feb. 5 at noon.", ["We meet on Feb. 5 at noon."]),
        (
            "There are two things: 1. Rest a lot. 2. See a nurse.",
            ["There are two things: Rest a lot; See a nurse."],
        ),
        ("A 5 yr. old boy fell.", ["A 5 year. old boy fell."]),
        ("It hurts me.i cannot sleep.", ["It hurts me.", "I cannot sleep."]),
    ],
)
def test_where_a_sentence_ends(text, sentences):
    found = split_sentences(text)
    assert found == sentences if sentences else len(found) == 1


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


@pytest.mark.parametrize(
    ("typed", "tidied"),
    [
        ('"Two hours," Anna said, "till noon."', "Two hours, Anna said, till noon."),
        ('Then Anna said, "Did it hurt?"', "Then Anna said, Did it hurt?"),
        ('The "rye" is fresh.', 'The "rye" is fresh.'),
    ],
)
def test_quotation_marks_stay_in_pairs_or_go(typed, tidied):
    assert clean_sentence(typed) == tidied


def test_a_sentence_that_its_writer_broke_off_is_not_joined_to_the_next():
    assert split_sentences("Unless perhaps Anna—\n\nThe bus left at noon.") == [
        "The bus left at noon."
    ]


@pytest.mark.parametrize(
    "text",
    [
        "You can rub it with oil and the",
        "It burns and honestly.",
        "If I were your doctor,",
        "Do not stop unless",
        "I thought that he might—",
        '"What do you think they will—" he began, and then stopped himself.',
    ],
)
def test_a_sentence_that_breaks_off_is_left_out(text):
    assert clean_sentence(text) == ""


def test_the_sentences_of_a_clean_text_are_those_that_were_split():
    text = "Take one tab. Daily at noon. It burns. See Dr. [PERSON_1] soon. Is it safe?"
    assert separate(text) == split_sentences(text)


@pytest.mark.parametrize("text", ["I am ill.", "I'm ill."])
def test_contractions_stand_where_the_writer_used_them(text):
    assert split_sentences(text) == [text]


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


def test_a_sentence_with_a_replaced_word_is_broken() -> None:
    assert clean_sentence("Take the witChatDoctorpliance daily.") == ""
    assert split_sentences("Welcome to Chat Doctor. Rest the heel.") == ["Rest the heel."]


def test_what_is_quoted_in_several_sentences_is_left_out_after_the_speaker() -> None:
    text = "The letter said: “You must call us. Your claim ends.” I did call. He said “go”."
    sentences = ["The letter said: “You must call us”.", "", "I did call.", "He said “go”."]
    assert sentences_and_gaps(text) == sentences
    assert split_sentences("We are ill. We want peace.’’ The board met.") == ["The board met."]


def test_who_spoke_is_left_out_with_what_was_said() -> None:
    text = '"Is it late?" Anna asked. The bus left. "No!" said the man. He waited for an hour.'
    assert split_sentences(text) == ["The bus left.", "He waited for an hour."]


@pytest.mark.parametrize("typed", ["\n", " ", " - ", "; ", "is it ", "i'm "])
def test_odd_text_is_read_in_linear_time(typed):
    assert growth(lambda size: split_sentences(f"It hurts {typed * size}now."), 400) < LINEAR
