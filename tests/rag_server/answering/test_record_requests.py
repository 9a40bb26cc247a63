"""Questions that ask for a record, a message, or how a case ended."""

import pytest

from sage_rag.rag_server.answering.record_requests import (
    asks_for_message,
    asks_for_outcome,
    asks_for_overview,
    asks_for_record,
    asks_trait,
    asks_whether,
    asks_who_someone_is,
    writers_asked,
)
from tests.growth import LINEAR, growth

ADA, BO = "PERSON_[aa]", "PERSON_[bb]"


@pytest.mark.parametrize(
    "question",
    [
        f"What was the outcome of {ADA}'s case?",
        f"What did the court decide in the case of {ADA}?",
        f"How did the trial of {ADA} end?",
    ],
)
def test_how_a_case_ended(question):
    assert asks_for_outcome(question)


@pytest.mark.parametrize(
    "question",
    [
        f"What did the court decide about the flour of {ADA}?",
        f"What was the result of {ADA}'s blood test?",
        f"Tell me about {ADA}.",
    ],
)
def test_what_else_is_asked_is_no_outcome(question):
    assert not asks_for_outcome(question)


@pytest.mark.parametrize(
    "question",
    [
        f"Tell me about the mail from {ADA}.",
        f"What did {ADA} send to {BO}?",
        f"What did {ADA} write?",
        f"Summarise the letter by {ADA} to {BO}.",
    ],
)
def test_a_message_of_someone_is_a_record(question):
    assert asks_for_message(question)
    assert asks_for_record(question, by_code=False)
    assert asks_for_overview(question)


@pytest.mark.parametrize(
    "question", [f"What is the email of {ADA}?", f"What did {ADA} write about the lift?"]
)
def test_an_address_or_a_matter_is_no_record(question):
    assert not asks_for_record(question, by_code=False)


@pytest.mark.parametrize(
    "question", [f"Is {ADA} a DEMOGRAPHIC_[cc]?", f"And does Mr. {ADA} have records?"]
)
def test_a_question_of_yes_or_no_about_someone_is_no_record(question):
    assert asks_whether(question)
    assert not asks_for_record(question, by_code=False)


def test_what_is_known_of_someone_is_no_question_of_yes_or_no():
    assert not asks_whether(f"Do you have a record of {ADA}?")
    assert asks_for_record(f"Do you have a record of {ADA}?", by_code=False)
    assert asks_for_record(f"Summarise the record of {ADA} in two sentences.", by_code=False)


def test_the_record_of_a_genitive_is_asked_for():
    assert asks_for_record(f"Summarise {ADA}'s case.", by_code=False)


@pytest.mark.parametrize(
    "question",
    [f"Who is {ADA}?", f"who was Dr. {ADA}", f"Who's Mr {ADA}?", f"Who are {ADA}, {BO}?"],
)
def test_who_someone_is_asks_for_a_record(question):
    assert asks_who_someone_is(question)
    assert asks_for_record(question, by_code=False)


@pytest.mark.parametrize(
    "question", [f"Who is the doctor of {ADA}?", f"Who is {ADA}'s wife?", f"Who phoned {ADA}?"]
)
def test_who_someone_else_is_asks_for_a_fact(question):
    assert not asks_who_someone_is(question)
    assert not asks_for_record(question, by_code=False)


@pytest.mark.parametrize("kind", ["ticket", "library card", "tenancy"])
def test_whose_a_value_is_may_be_asked_by_any_name_for_it(kind):
    assert asks_for_record(f"Whose {kind} is ID_[aa]?", by_code=True)
    assert not asks_for_record(f"What {kind} is ID_[aa] for?", by_code=True)


@pytest.mark.parametrize(
    ("question", "writers"),
    [
        (f"What did {ADA} write to {BO}?", [ADA]),
        (f"mails from Mr {ADA} to {BO}", [ADA]),
        (f"the letter that was sent by {ADA}", [ADA]),
        (f"mails to {BO}", []),
        (f"What did {ADA} say?", []),
    ],
)
def test_whose_message_is_asked_for(question, writers):
    assert writers_asked(question) == writers


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        (f"Does {ADA} have asthma?", True),
        (f"and is {ADA} a DEMOGRAPHIC_[cc]?", True),
        (f"Has Mr. {ADA} got a DEMOGRAPHIC_[cc]?", True),
        (f"Does {ADA} keep a cat?", False),
        (f"Did {ADA} appeal?", False),
        (f"Is {ADA} at home?", False),
    ],
)
def test_a_condition_or_a_role_is_asked_for(question, asks):
    assert asks_trait(question) is asks


def test_a_row_of_titles_without_a_name_is_read_in_linear_time():
    asked = "who is " + "Dr. " * 4_000
    assert growth(lambda size: asks_who_someone_is(asked[:size]), 4_000) < LINEAR
