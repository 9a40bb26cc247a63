"""Forms: recognised in records, told to the writer, and looked for in drafts."""

from __future__ import annotations

import time

import pytest

from sage_rag.agents.forms import form_complaint, form_names, form_of_records, instruction

RECORDS = {
    "dialogue": [
        {"question": "My ear hurts.", "answer": "See a doctor."},
        {"doctor": "See me.", "patient": "My ear hurts."},
        {"text": "Doctor: What brings you in?\nPatient: My ear hurts.\nDoctor: Since when?"},
        {"text": "[doctor] what brings you in\n[patient] my ear"},
        {"text": "[PERSON_1]: Are you in?\n[PERSON_2]: In a minute."},
    ],
    "judgment": [
        {"text": "The applicant complained to the court; the appeal was dismissed on 3 May."},
        {"text": "The defendant was convicted and, on appeal, sentenced to six months."},
    ],
    "mail": [
        {"subject": "Lunch", "body": "At noon?"},
        {"text": "Hi Tobias,\nthe draft is ready. Let me know.\nRegards,\nInes"},
        {"text": "From: ines\nSubject: draft\n\nIt is ready."},
    ],
    "note": [
        {"text": "CHIEF COMPLAINT: ear pain.\nASSESSMENT: otitis.\nPLAN: drops."},
        {"text": "The patient is a woman with ear pain. She denies fever."},
    ],
    "encyclopaedic": [
        {"text": "The Norr is a river of the north. It was known as Noor until 1874."},
    ],
    "generic": [
        {"text": "Rain fell on the roof all night, and nobody slept."},
        {"text": "I was there in 1999, and you were the one who sang."},
        {"text": "Note: the ratio is 3:1."},
        {"text": ""},
    ],
}


@pytest.mark.parametrize(("form", "record"), [(f, r) for f, rs in RECORDS.items() for r in rs])
def test_a_record_shows_its_form(form: str, record: dict[str, str]) -> None:
    assert form_of_records([record]) == form


def test_two_samples_of_five_suffice_and_one_does_not() -> None:
    mail, other = RECORDS["mail"][1], RECORDS["generic"][0]
    assert form_of_records([mail, mail, other, other, other]) == "mail"
    assert form_of_records([mail, other, other, other, other]) == "generic"
    assert form_of_records([]) == "generic"


def test_the_more_frequent_form_wins() -> None:
    note, mail = RECORDS["note"][0], RECORDS["mail"][1]
    assert form_of_records([note, mail, mail, mail, note]) == "mail"


def test_a_record_counts_for_its_most_particular_form_alone() -> None:
    both = {"text": "The court is the one of 1874. The applicant was a tailor; the appeal is lost."}
    plain = {"text": "The Norr is a river of the north. It was known as Noor until 1874."}
    assert form_of_records([both, both, both, plain, plain]) == "judgment"


def test_every_form_has_an_instruction_of_its_own() -> None:
    assert set(form_names()) == set(RECORDS)
    assert len({instruction(form) for form in form_names()}) == len(form_names())
    assert all("<!--" not in instruction(form) for form in form_names())


KEPT = {
    "dialogue": [
        {"question": "[PERSON_1] has a sore ear.", "answer": "Please note: see a doctor."},
        {"text": "Patient: My ear is sore.\nDoctor: Have it seen."},
    ],
    "judgment": [{"text": "The court dismissed the claim: it was late."}],
    "mail": [{"text": "Dear [PERSON_1],\nthe draft is done.\nRegards,\n[PERSON_2]"}],
    "note": [{"text": "Ear pain for two days. Drops given. Review in a week."}],
    "encyclopaedic": [{"text": "The Norr is a river. It rises in the north."}],
    "generic": [{"text": "It rained, and nobody slept. I did not."}],
}


@pytest.mark.parametrize(("form", "draft"), [(f, d) for f, ds in KEPT.items() for d in ds])
def test_a_draft_that_has_its_form_is_left_alone(form: str, draft: dict[str, str]) -> None:
    assert form_complaint(form, draft) is None


TURNS = "Patient: My ear.\nDoctor: Since when?\nPatient: Monday."
LOST = [
    ("dialogue", {"question": TURNS, "answer": "See a doctor."}, "speakers' names"),
    ("dialogue", {"question": "My ear.", "answer": "Doctor: see me."}, "speakers' names"),
    ("dialogue", {"text": TURNS}, "one turn of each"),
    ("dialogue", {"text": "My ear is sore."}, "one turn of each"),
    ("judgment", {"text": "Somebody was cross about a fence."}, "judgment"),
    ("judgment", {"text": f"The court said:\n{TURNS}"}, "dialogue"),
    ("mail", {"text": "The draft is done."}, "greeting"),
    ("mail", {"text": "Dear [PERSON_1],\nthe draft is done."}, "greeting"),
    ("note", {"text": "I think you have an infection of your ear."}, "third person"),
    ("encyclopaedic", {"text": "You will like the Norr, my favourite river."}, "third person"),
    ("generic", {"text": TURNS}, "dialogue"),
    *((form, {"text": "# Facts\n- ear: sore\n- drops: given"}, "list") for form in form_names()),
]


@pytest.mark.parametrize(("form", "draft", "told"), LOST)
def test_a_draft_that_lost_its_form_is_told_what_it_lacks(form, draft, told) -> None:
    complaint = form_complaint(form, draft) or ""
    assert told in complaint
    assert "sore" not in complaint


@pytest.mark.parametrize("text", ["a " * 100_000, "Dear " * 50_000, "A:\n" * 50_000, " " * 200_000])
def test_long_texts_take_no_long_time(text: str) -> None:
    started = time.process_time()
    form_of_records([{"text": text}])
    for form in form_names():
        form_complaint(form, {"text": text})
    assert time.process_time() - started < 10
