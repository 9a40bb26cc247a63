"""Headings of structured records label the lines below them, and answer nothing alone."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sage_rag.agents.reading.headings import headed_sentences
from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering.sentences import labelled_texts, read_passage

NOTE = """\
CHIEF COMPLAINT
Back pain.

HPI:
The lorry was unloaded on Monday. Then the back hurt.

VITALS
BP: 132/88
ASSESSMENT AND PLAN
Lumbar strain
• Rest for two days.
• Ice, then heat.
High blood pressure
We raise lisinopril to 40 mg a day and look again in May.
"""


def read(text):
    return [(text[s.start : s.end], s.label, s.topic) for s in headed_sentences(text)]


def test_lines_stand_below_their_headings():
    assert read(NOTE) == [
        ("Back pain.", "Chief complaint", "Chief complaint"),
        ("The lorry was unloaded on Monday.", "HPI", "HPI"),
        ("Then the back hurt.", "", "HPI"),
        ("BP: 132/88", "Vitals", "Vitals"),
        ("Lumbar strain", "Assessment and plan", "Assessment and plan"),
        ("• Rest for two days.", "Lumbar strain", "Assessment and plan Lumbar strain"),
        ("• Ice, then heat.", "Lumbar strain", "Assessment and plan Lumbar strain"),
        ("High blood pressure", "", "Assessment and plan"),
        (
            "We raise lisinopril to 40 mg a day and look again in May.",
            "High blood pressure",
            "Assessment and plan High blood pressure",
        ),
    ]


def test_prose_has_no_headings():
    letter = (
        "Dear all,\nThe roof leaks again. Please call.\n\nKind regards\nThe tenants of number 4"
    )
    assert {(label, topic) for _, label, topic in read(letter)} == {("", "")}


def test_a_short_sentence_about_someone_is_no_heading():
    text = "He squinted north.\nTwo of the grey riders were coming down to the ford at last."
    assert {(label, topic) for _, label, topic in read(text)} == {("", "")}


def test_an_order_in_capitals_is_no_heading():
    text = "DO NOT DRIVE\nTake the tablets at noon, and rest in the afternoon."
    assert read(text)[0] == ("DO NOT DRIVE", "", "")


def test_the_last_line_is_quoted():
    assert read("The lift is safe.\nPASSED") == [
        ("The lift is safe.", "", ""),
        ("PASSED", "", ""),
    ]


def test_the_number_of_an_item_is_no_sentence():
    text = "ORDER\n1. The claim is allowed.\n2. The respondent pays the costs.\nII. FACTS\nHe fell."
    assert [sentence for sentence, _, _ in read(text)] == [
        "The claim is allowed.",
        "The respondent pays the costs.",
        "He fell.",
    ]
    assert read(text)[-1][1] == "FACTS"


def test_values_and_tokens_make_no_heading():
    text = (
        "PERSON_[aa]\nCame in with a cough that did not end.\nROOM 14\nThe window is broken there."
    )
    assert {label for _, label, _ in read(text)} == {""}


def test_an_answer_shows_a_heading_once_and_no_bullet():
    sentences = read_passage(1, Passage("p", "s", {"text": NOTE}), ())
    assert labelled_texts(sentences)[4:8] == [
        "Assessment and plan: Lumbar strain",
        "Rest for two days.",
        "Ice, then heat.",
        "High blood pressure",
    ]
    assert labelled_texts(sentences[5:7]) == [
        "Lumbar strain: Rest for two days.",
        "Ice, then heat.",
    ]
    assert sentences[6].topic == ("assess", "plan", "lumbar", "strain")


@given(st.text(alphabet="aA1.:\n•- ", max_size=60))
def test_any_text_is_read_in_order_without_overlap(text):
    spans = [(s.start, s.end) for s in headed_sentences(text)]
    assert all(start < end for start, end in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))


def test_the_number_of_a_heading_is_no_part_of_it():
    text = "THE CASE\nA. First proceedings\nThe miller sued the board for the loss of his mill."
    assert read(text)[0] == ("First proceedings", "The case", "The case")
    assert read(text)[1][1] == "First proceedings"
