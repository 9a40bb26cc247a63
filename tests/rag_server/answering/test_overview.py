"""Overviews of records, and how a case ended."""

import pytest

from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering.formalities import is_formality
from sage_rag.rag_server.answering.overview import introduction, overview
from sage_rag.rag_server.answering.sentences import labelled_texts, read_passage

MILLER = "PERSON_[aa]"
FORMAL = f"""\
PROCEDURE

The case originated in an application (no. 12/3) against the Republic of Arland lodged with the
Court by Mr {MILLER} (“the applicant”).
The applicant was represented by Ms PERSON_[bb], a lawyer practising in LOCATION_[cc].
"""
COMPLAINT = "The applicant alleged that the water board had shut his mill without a hearing."
BIRTH = "The applicant was born in DATE_TIME_[dd] and lives in LOCATION_[ee]."
FACTS = "On DATE_TIME_[ff] the board shut the mill. The applicant asked for damages."
END = "On DATE_TIME_[gg] the District Court dismissed his claim."
SERVED = "The decision was served on the applicant on DATE_TIME_[hh]."
JUDGMENT = f"{FORMAL}\n{COMPLAINT}\n\nTHE FACTS\n\n{BIRTH}\n\n{FACTS}\n\n{END} {SERVED}"


def told(text, most_words=60, *, is_whole=True, asks_outcome=False):
    sentences = read_passage(1, Passage("p1", "s1", {"text": text}), ())
    found = overview(sentences, {MILLER}, most_words, is_whole=is_whole, asks_outcome=asks_outcome)
    return " ".join(labelled_texts(found))


def test_a_judgment_is_told_without_its_formalities():
    assert told(JUDGMENT) == f"{COMPLAINT} {FACTS} {END}"


def test_a_long_judgment_ends_with_its_end():
    long = JUDGMENT.replace(FACTS, f"{FACTS} {'The board wrote a letter. ' * 40}")
    found = told(long, most_words=30)
    assert found.startswith(f"{COMPLAINT} {FACTS}")
    assert found.endswith(f"letter. {END}")
    assert len(found.split()) < 80


def test_the_last_sentence_of_a_piece_is_not_the_end_of_a_case():
    assert told(JUDGMENT, most_words=12, is_whole=False) == f"{COMPLAINT} {FACTS}"
    assert told(JUDGMENT, is_whole=False, asks_outcome=True).startswith(COMPLAINT)


def test_the_end_comes_with_what_it_refers_to():
    text = JUDGMENT.replace(END, f"{END} It gave no reasons.")
    assert told(text, asks_outcome=True) == f"{END} It gave no reasons."
    assert told(JUDGMENT, asks_outcome=True) == END


def test_a_heading_without_its_formalities_is_left_out():
    text = JUDGMENT.replace(FACTS, f"1. Background to the case\n\n{BIRTH} {FACTS}")
    assert "Background to the case" not in told(text).split(". ")


def test_a_record_of_formalities_alone_is_told_as_it_is():
    assert told(FORMAL).startswith("Procedure: The case originated in an application")


@pytest.mark.parametrize(
    "sentence",
    [
        "The Arlandish Government were represented by their Agent, Ms PERSON_[bb].",
        "The application was allocated to the Second Section of the Court (Rule 52 § 1).",
        "On DATE_TIME_[aa] the President decided to give notice of the application to them.",
        "It also decided to rule on the admissibility and merits at the same time.",
        "The applicant, Mr PERSON_[aa], is an ORGANIZATION_[cc] national who was born in 1950.",
        "The facts of the case, as submitted by the parties, may be summarised as follows.",
    ],
)
def test_formalities(sentence):
    assert is_formality(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The applicant complained that he was not represented at his trial.",
        "The Court decided to communicate the complaint about the length of the proceedings.",
        "The applicant, a farmer, lives in LOCATION_[aa].",
        "Her daughter was born in DATE_TIME_[aa].",
        "The client originated in Leeds and filed a claim.",
    ],
)
def test_what_a_case_is_about_is_no_formality(sentence):
    assert not is_formality(sentence)


def test_who_represents_someone_is_told_though_it_is_a_formality():
    sentences = read_passage(1, Passage("p1", "s1", {"text": JUDGMENT}), ())
    lawyer, applicant = (
        " ".join(labelled_texts(introduction(sentences, {name}, 20)))
        for name in ("PERSON_[bb]", MILLER)
    )
    assert lawyer.startswith("The applicant was represented by Ms PERSON_[bb], a lawyer")
    assert applicant.startswith(COMPLAINT)
