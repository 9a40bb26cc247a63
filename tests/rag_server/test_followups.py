import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.rag_server.chat_request import ChatRequest
from sage_rag.rag_server.followups import (
    asked_by_user,
    asked_of_another,
    asked_part,
    standalone,
    whole_question,
)

KELLER, LINDE, LINDAU = "PERSON_[aa]", "PERSON_[bb]", "LOCATION_[cc]"
MIGRAINE = f"What prevents the migraine of {KELLER} in {LINDAU}?"


@pytest.mark.parametrize(
    "question",
    [
        "What should he do if it does not help?",
        "And for children?",
        "How about tea?",
        "How often?",
        "Does that hurt the stomach?",
    ],
)
def test_a_follow_up_takes_the_words_and_names_of_the_question_before(question):
    found = standalone([MIGRAINE, question])
    assert found.startswith(question)
    assert KELLER in found
    assert "migraine" in found
    assert LINDAU in found


@pytest.mark.parametrize(
    "question",
    [
        "What helps against a dry socket?",
        f"Which tests did {LINDE} get?",
        f"What did {LINDE} say, and did he recover?",
        "How should someone stop painkillers that cause a daily headache?",
        "",
    ],
)
def test_a_question_of_its_own_takes_nothing(question):
    assert standalone([MIGRAINE, question]) == question or not question


def test_a_pronoun_is_the_patient_rather_than_the_doctor():
    before = f"How much did Dr. {LINDE} suggest to {KELLER}?"
    question = "Where does he live?"
    found = whole_question(question, standalone([before, question]))
    assert found == f"Where does {KELLER} live?"
    both = standalone([f"How much did {LINDE} suggest to {KELLER}?", question])
    assert whole_question(question, both) == both, "either may be meant"


def test_a_pronoun_takes_the_person_of_an_earlier_question():
    between = "How much rent reduction is asked?"
    asked = [MIGRAINE, between, "What may she deduct?"]
    assert KELLER in standalone(asked)
    assert standalone(asked[:2]) == between
    toddler = [MIGRAINE, "What helps a toddler with a fever fit?", "How is he laid down?"]
    assert KELLER not in standalone(toddler), "the pronoun means the toddler"
    assert KELLER not in standalone([*asked[:2], f"What may {LINDE} deduct, and how does she?"])


def test_a_request_knows_whom_the_question_before_is_about():
    asked = [MIGRAINE, "And in the morning?", "How much rent reduction is asked?"]
    messages = [{"role": "user", "content": text} for text in asked]
    chat = ChatRequest(model="clinic", messages=messages)
    assert chat.people_before == [KELLER]
    assert chat.standalone == asked[-1]
    assert ChatRequest(model="clinic", messages=messages[:1]).people_before == []


def test_another_name_exchanges_the_name_alone():
    found = standalone([MIGRAINE, f"And {LINDE}?"])
    assert LINDE in found
    assert "migraine" in found
    assert KELLER not in found


@pytest.mark.parametrize(
    "question",
    [
        f"Sorry, I meant {LINDE}",
        f"No, {LINDE}",
        f"no i mean {LINDE}'s",
        f"I was asking about {LINDE}.",
    ],
)
def test_a_correction_exchanges_the_name_and_is_no_question_of_its_own(question):
    found = standalone([MIGRAINE, question])
    assert LINDE in found
    assert "migraine" in found
    assert KELLER not in found
    assert whole_question(question, found) == found


@pytest.mark.parametrize("question", ["No, I meant his sister", "I mean the daughter of his aunt"])
def test_a_correction_without_a_name_keeps_the_person(question):
    assert KELLER in standalone([MIGRAINE, question])


@pytest.mark.parametrize("question", ["What is a bladder scan?", "what's an aura"])
def test_a_question_about_a_kind_of_thing_keeps_no_person(question):
    assert standalone([MIGRAINE, question]) == question


def test_a_follow_up_of_a_follow_up_keeps_the_person():
    found = standalone([MIGRAINE, "How long does he take it?", "And then?"])
    assert KELLER in found


def test_without_history_the_question_stands_alone():
    assert standalone(["And for children?"]) == "And for children?"
    assert standalone([]) == ""


@given(st.lists(st.text(alphabet="and he it [PERSON_aa]?. x", max_size=40), max_size=5))
def test_the_last_question_is_unchanged_and_nothing_is_invented(questions):
    found = standalone(questions)
    last = questions[-1] if questions else ""
    assert found.startswith(last)
    known = " ".join(questions)
    assert all(word in known for word in found[len(last) :].split())


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("does she take insulin?", f"does {KELLER} take insulin?"),
        ("What was her pulse at noon?", f"What was {KELLER}'s pulse at noon?"),
        ("who drives her?", f"who drives {KELLER}?"),
        ("who drives her to the clinic?", f"who drives {KELLER} to the clinic?"),
        ("was DATE_TIME_[-he-] bad for her?", f"was DATE_TIME_[-he-] bad for {KELLER}?"),
        ("what did the x-ray of the knee show?", "what did the x-ray of the knee show?"),
        ("and then?", None),
    ],
)
def test_a_follow_up_is_read_with_its_person_instead_of_the_pronoun(question, whole):
    before = f"What does {KELLER} take against migraine?"
    found = whole_question(question, standalone([before, question]))
    assert found == (whole or standalone([before, question]))


def test_a_question_with_two_people_before_it_keeps_its_pronoun():
    question = "does she take insulin with the meal?"
    before = f"Did {KELLER} see {LINDE}?"
    assert whole_question(question, standalone([before, question])) == question


FILLER = "The parcel was left in the yard of a neighbour, and it rained the whole week. " * 60


def test_of_a_long_message_the_sentences_that_ask_are_searched():
    found = standalone([f"{FILLER} What is the dose of the blue inhaler?"])
    assert found == "What is the dose of the blue inhaler?"
    assert asked_part(f"{FILLER} What is the dose of the blue inhaler?") == found


def test_what_a_long_message_asks_takes_over_what_it_tells():
    found = standalone(
        [f"{KELLER} rents the mill in the valley. {FILLER} When does she leave the house?"]
    )
    assert found.startswith("When does she leave the house?")
    assert KELLER in found
    assert len(found.split()) < 60


def test_a_long_message_that_asks_nothing_is_searched_whole():
    assert standalone([FILLER]) == FILLER
    assert standalone([f"{FILLER} What now?"]) == f"{FILLER} What now?"


def test_a_short_message_with_several_sentences_is_searched_whole():
    short = "My knee hurts since Monday. Is ice good for it?"
    assert standalone([short]) == short
    assert standalone([]) == ""


@pytest.mark.parametrize(
    "follow_up", ["and on DATE_TIME_[bb]?", "And what happened on DATE_TIME_[bb]?"]
)
def test_another_day_exchanges_the_day(follow_up):
    found = standalone([f"What happened to {KELLER} on DATE_TIME_[aa]?", follow_up])
    assert KELLER in found
    assert "happened" in found
    assert "DATE_TIME_[aa]" not in found


def test_another_weekday_exchanges_the_weekday():
    found = standalone(["Which boat was late on Tuesday evening?", "and Friday?"])
    assert found.split() == "and Friday? boat late evening".split()


def test_a_time_of_the_day_in_question_keeps_the_day():
    found = standalone(["What happened on DATE_TIME_[aa]?", "Who came at DATE_TIME_[bb]?"])
    assert "DATE_TIME_[aa]" in found


@pytest.mark.parametrize(
    "remark", ["are you sure?", "say it shorter", "Which record is that from?"]
)
def test_a_remark_about_the_answer_asks_the_question_before_again(remark):
    assert standalone([MIGRAINE, remark]) == MIGRAINE
    assert KELLER in standalone([MIGRAINE, remark, "and when?"])


SUGGESTION = f"I found no record of {LINDE} in the documents. Did you mean {KELLER}?"


@pytest.mark.parametrize("yes", ["yes", "Yes please!", "yeah, that's her", "right"])
def test_yes_to_a_suggested_name_asks_the_question_for_that_name(yes):
    asked = asked_by_user(
        [("user", f"When did {LINDE} pay?"), ("assistant", SUGGESTION), ("user", yes)]
    )
    found = standalone(asked)
    assert KELLER in found
    assert "pay" in found
    assert LINDE not in found


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("The cat sleeps. [1]", "yes"),
        (SUGGESTION, "yes, when did he move?"),
        (f"Did you mean {KELLER} or {LINDE}?", "yes"),
    ],
)
def test_any_other_message_stays_as_it_is(answer, message):
    assert asked_by_user([("user", "?"), ("assistant", answer), ("user", message)])[-1] == message


@pytest.mark.parametrize(
    ("questions", "asked"),
    [
        ([f"Where does {KELLER} live?", f"And {LINDE}?"], f"Where does {LINDE} live?"),
        ([f"Who is {KELLER}'s vet?", f"No, I meant {LINDE}"], f"Who is {LINDE}'s vet?"),
        ([f"Who is {KELLER}?", "What did he sell?", f"And {LINDE}?"], f"What did {LINDE} sell?"),
        (
            [f"Where does {KELLER} live?", f"And {LINDE}?", f"and {KELLER}?"],
            f"Where does {KELLER} live?",
        ),
        # Of two persons, it is unknown who is exchanged.
        ([f"Did {KELLER} pay {LINDE}?", "And PERSON_[dd]?"], "And PERSON_[dd]?"),
        ([f"Where does {KELLER} live?", f"And {LINDE}'s goat?"], f"And {LINDE}'s goat?"),
        ([f"Where does {KELLER} live?", "And why?"], "And why?"),
        ([f"What did {KELLER} sell?", f"To {LINDE}?"], f"To {LINDE}?"),
        ([f"Who cares for {KELLER}?", f"And for Mr. {LINDE}?"], f"Who cares for {LINDE}?"),
        ([f"And {LINDE}?"], f"And {LINDE}?"),
    ],
)
def test_a_question_of_a_name_alone_asks_the_last_one_of_another_person(questions, asked):
    assert asked_of_another(questions) == asked


def test_a_name_after_a_preposition_goes_on_from_the_question_before():
    found = standalone([f"What did {KELLER} sell?", f"To {LINDE}?"])
    assert "sell" in found
    assert KELLER not in found
