"""Questions that count, list or compare over records."""

import pytest

from sage_rag.rag_server.answering.over_records import asks_over_records

ADA, BO = "PERSON_[aa]", "PERSON_[bb]"


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("How many patients have asthma?", ""),
        ("How many patients have asthma?", "Her asthma needs QUANTITY_[aa] a day."),
        ("how many of the tenants owe rent", "Tenant of 8 Mill Lane. She owes rent."),
        (f"How many mails did {ADA} write?", "The mail came on 3 May."),
        ("list all patients with migraine", ""),
        ("Please show me all open complaints.", ""),
        ("Which tenants complained about noise?", "He complained about noise."),
        (f"Compare the rents of {ADA} and {BO}.", "The rent is 400."),
        ("compare the reports RI-41 and RI-42", ""),
        ("What is the average delay?", "The total delay was nine minutes."),
        ("total cost of all repairs?", "Repair cost: 40."),
        ("Who pays the highest rent?", "The rent is 400."),
        ("Which incident was the most expensive?", "The window cost 40."),
    ],
)
def test_one_record_does_not_answer(question, quoted):
    assert asks_over_records(question, quoted)


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("How many complaints were there?", "The board got nine written complaints."),
        ("How many visits does it take?", "It takes QUANTITY_[aa] visits."),
        ("How many letters came that day?", "On that day QUANTITY_[aa] came."),
        ("Which planet has the most moons?", ""),
        ("How many trains were diverted?", "Trains were diverted."),
        ("How many tablets should I take?", ""),
        ("What is the total delay?", "The total delay was nine minutes."),
        ("Which cow gives the most milk?", "The brown cow gives the most."),
        (f"What is the total bill of {ADA}?", "She paid 40."),
        ("Which tablet helps patients?", ""),
        ("What does it mean?", ""),
        ("How does a heat pump compare to gas?", ""),
        ("List the medicines for a cough.", ""),
        ("Who is the tenant?", ""),
        ("", ""),
    ],
)
def test_one_record_may_answer(question, quoted):
    assert not asks_over_records(question, quoted)


def test_a_sum_that_follows_another_question_is_of_one_record():
    asked, quoted = "What average did he get?", "He weighed fifty packs: mean 754 g."
    assert asks_over_records(asked, quoted)
    assert not asks_over_records(asked, quoted, narrowed=True)
