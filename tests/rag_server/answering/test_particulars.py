"""A person's phone number, registration or bill: found by the type of its token."""

from __future__ import annotations

import pytest

from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering.evidence import Evidence
from sage_rag.rag_server.answering.extractive import ExtractiveAnswerer
from sage_rag.rag_server.answering.particulars import particular_of, states_particular
from sage_rag.rag_server.answering.protocols import AnswerContext
from sage_rag.rag_server.answering.wording import UNCLEAR
from tests.growth import LINEAR, growth

ADA, PHONE, MAIL = "PERSON_[AdaAda]", "PHONE_NUMBER_[PhonePhone]", "EMAIL_ADDRESS_[MailMail]"
PLATE, SUM, NUMBER = "VEHICLE_[PlatePlate]", "QUANTITY_[SumSum]", "ID_[NumberNumber]"
COMPLAINT = (
    f"My name is {ADA}, and the brakes of the van with the plate {PLATE} squeal. My policy has the "
    f"number {NUMBER}. You can reach me on {PHONE}."
)
REPAIR = f"The discs were worn and replaced. Bed the brakes in gently. {ADA} paid {SUM} by card."
RECORD = Passage("p1", "s1", {"complaint": COMPLAINT, "repair": REPAIR}, score=1.0)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        (f"What is the phone number of {ADA}?", PHONE),
        (f"{ADA} mobile", PHONE),
        (f"Which registration has the van of {ADA}?", PLATE),
        (f"What policy number does {ADA} have?", NUMBER),
        (f"How much did {ADA} pay?", SUM),
        (f"What was {ADA} charged?", SUM),
    ],
)
def test_the_sentence_with_the_value_answers(question: str, value: str) -> None:
    assert states_particular(question, RECORD.text)
    answer = ExtractiveAnswerer().compose(AnswerContext(question, (RECORD,)))
    assert value in answer
    assert answer.endswith("[1]")


@pytest.mark.parametrize(
    "question",
    [
        f"What is the email address of {ADA}?",  # the record has none
        f"What happened to {ADA}?",
        f"Did {ADA} phone the garage?",
        f"Is it {PHONE}, the phone number of {ADA}?",  # its own value states nothing new
        f"What is the number of discs of {ADA}?",
    ],
)
def test_a_record_without_what_is_asked_states_no_particular(question: str) -> None:
    assert not states_particular(question, RECORD.text)


CLAIM, FRAME = "CASE_NUMBER_[ClaimClaim]", "ID_[FrameFrame]"
BIKE = Passage(
    "p1",
    "s1",
    {
        "complaint": f"Bike of {ADA}, frame no. {FRAME}. She wants a report for claim {CLAIM}.",
        "work": f"The claim was sent on Monday. Photos in folder {NUMBER}. The frame is 6 mm out of line.",
    },
    score=1.0,
)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        (f"What is the claim number of {ADA}?", CLAIM),
        (f"{ADA} insurer claim number", CLAIM),
        (f"frame number of the bike of {ADA}", FRAME),
    ],
)
def test_the_word_next_to_a_number_says_which_one_it_is(question: str, value: str) -> None:
    assert states_particular(question, BIKE.text)
    answer = ExtractiveAnswerer().compose(AnswerContext(question, (BIKE,)))
    assert value in answer
    assert NUMBER not in answer


def test_another_number_is_not_the_one_that_is_asked() -> None:
    asked = f"What is the passport number of {ADA}?"
    assert not states_particular(asked, BIKE.text)
    evidence = Evidence(0.9, 0.9, sentence=0.9, known=1)
    context = AnswerContext(asked, (BIKE,), evidence=evidence)
    assert ExtractiveAnswerer().compose(context).startswith(UNCLEAR)


def test_a_number_in_clear_counts_next_to_its_word_alone() -> None:
    claim, phone = particular_of("claim number"), particular_of("phone number")
    assert claim is not None
    assert phone is not None
    assert list(claim.values_in("The claim is 70221.")) == [("70221", True)]
    assert not list(claim.values_in("The claim was sent. Photos are in folder 505."))
    assert list(phone.values_in("Ring 07700 900112.")) == [("07700 900112", True)]
    assert not list(phone.values_in("The error is E23."))


def test_a_sum_counts_next_to_a_word_of_payment_alone() -> None:
    paid = particular_of("how much did they pay?")
    assert paid is not None
    assert paid.is_in(f"They paid {SUM}.")
    assert not paid.is_in(f"The disc weighs {SUM}.")


def test_a_short_last_sentence_with_a_sum_is_no_signature() -> None:
    answer = ExtractiveAnswerer().compose(AnswerContext(f"What did {ADA} pay?", (RECORD,)))
    assert f"paid {SUM} by card" in answer


@pytest.mark.parametrize(
    "question",
    [
        f"How much is it? What did {ADA} pay?",
        f"How much, what for and how much more did {ADA} pay?",
    ],
)
def test_a_sum_is_asked_for_in_any_part_of_a_question(question: str) -> None:
    assert states_particular(question, RECORD.text)


def test_the_word_of_payment_stands_in_the_part_that_asks_for_the_sum() -> None:
    assert particular_of("How much oil is it? The bill was paid.") is None


@pytest.mark.parametrize("words", ["how much ", "what "])
def test_a_long_question_without_a_particular_takes_linear_time(words: str) -> None:
    assert growth(lambda size: particular_of(words * size), 200) < LINEAR


BEN, CARA = "PERSON_[BenBen]", "PERSON_[CaraCara]"
PASSPORT, OTHER_PHONE = "PASSPORT_[PassPass]", "PHONE_NUMBER_[OtherOther]"


def answered(question: str, *texts: str, meant: tuple[str, ...] = (), standalone: str = "") -> str:
    passages = [Passage(f"p{n}", "s1", {"text": text}, score=1.0) for n, text in enumerate(texts)]
    evidence = Evidence(0.9, 0.9, sentence=0.9, known=1, particular=True, meant=meant)
    context = AnswerContext(question, passages, evidence=evidence, standalone=standalone)
    return ExtractiveAnswerer().compose(context)


FERRY = (
    f"Booking of {ADA}. Passport number {PASSPORT}, seen at the desk. She travels with {BEN}, who "
    f"pays. His ticket was posted on Monday."
)
CREW = f"{ADA}: home number {PHONE}. {BEN}: work number {OTHER_PHONE}. {ADA} rows and {BEN} steers."


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (f"passport number of {BEN}", FERRY),
        (f"{ADA}'s work number", CREW),
        (f"{BEN} home number", CREW),
        (f"phone number of {CARA}", f"Met {CARA} at noon. {BEN} came, too. Phone: {PHONE}."),
        (f"phone number of {CARA}", f"Phone {PHONE}. Customer: {BEN}. He knows {CARA}."),
        (f"phone number of {CARA}", f"Met {CARA} at noon. {BEN} came. Phone: 07700 900112."),
    ],
)
def test_the_number_of_someone_else_is_no_clear_answer(question: str, text: str) -> None:
    assert not states_particular(question, text)
    assert answered(question, text).startswith(UNCLEAR)


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        (f"passport number of {ADA}", FERRY, PASSPORT),
        (f"{ADA}'s home number", CREW, PHONE),
        (f"phone number of {BEN}", CREW, OTHER_PHONE),
        (f"phone number of {ADA}", f"{ADA} called.\nThe roof leaks.\nPhone: {PHONE}.", PHONE),
        (f"phone number of {ADA}", f"Phone: {PHONE}. Customer: {ADA}.", PHONE),
        (f"phone number of {ADA}", f"{BEN} saw her. Ring {ADA} on {PHONE} at noon.", PHONE),
        (f"phone number of {ADA}", f"The roof leaks. Phone: {PHONE}.", PHONE),
        (f"phone number of {ADA}", f"{ADA} called. Phone: 07700 900112. {BEN} came.", "07700"),
        (f"What did {ADA} pay?", f"{ADA} came with {BEN}. She paid {SUM}.", SUM),
    ],
)
def test_a_number_next_to_the_name_is_the_persons_own(question: str, text: str, value: str) -> None:
    answer = answered(question, text)
    assert value in answer
    assert not answer.startswith(UNCLEAR)


BO = "PERSON_[BoBoBo]"


@pytest.mark.parametrize(
    ("text", "is_own"),
    [
        (f"Will of {ADA}. She was treated by {BO}. Her policy has the number {NUMBER}.", True),
        (f"{ADA} is ill. Her room is below {BO}'s. It leaks. Her policy number: {NUMBER}.", True),
        (f"Will of {ADA}. He was treated by {BO}. Her policy has the number {NUMBER}.", False),
        (f"{ADA} came with {BO}. His policy has the number {NUMBER}.", False),
        (f"{ADA} is ill. She met {BO}. {BO} is old. Her policy number: {NUMBER}.", False),
        (f"Will of {ADA}. She met {BO}. Her son {BO} has the policy number {NUMBER}.", False),
    ],
)
def test_her_number_is_of_whom_the_sentences_before_call_she(text: str, is_own: bool) -> None:
    assert states_particular(f"What is the policy number of {ADA}?", text) == is_own


def test_the_number_of_the_person_is_preferred_to_that_of_someone_else() -> None:
    text = (
        f"Phone numbers: {BEN} has the phone number {OTHER_PHONE}. The roof of the barn leaks and "
        f"the gutter is full of leaves. The chimney needs a new hood. {ADA} was told. "
        f"She can be reached on {PHONE}."
    )
    assert PHONE in answered(f"phone number of {ADA}", text)
    assert OTHER_PHONE not in answered(f"phone number of {ADA}", text)


def test_a_name_of_the_index_that_the_asked_one_means_is_the_persons_own() -> None:
    text = f"{ADA} called. Phone: {PHONE}."
    assert not answered(f"phone number of {CARA}", text, meant=(ADA,)).startswith(UNCLEAR)
    assert answered(f"phone number of {CARA}", text).startswith(UNCLEAR)


def test_a_follow_up_asks_for_the_number_of_the_person_before() -> None:
    asked = "and the passport number?"
    answer = answered(asked, FERRY, standalone=f"{asked} When does {BEN} travel?")
    assert answer.startswith(UNCLEAR)
