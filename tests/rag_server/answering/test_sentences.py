"""The sentences of a passage, as an answer reads them."""

import pytest

from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering import sentences
from sage_rag.rag_server.answering.sentences import content_stems, labelled_texts, read_passage

ADVICE = "Take the tablets with water. Do not drive, and don't cycle.\nThen rest for two hours."


ADA, BO, CY = "PERSON_[aa]", "PERSON_[bb]", "PERSON_[cc]"


def quoted(*texts: str) -> list[str]:
    """Return the answering sentences of a record of these sentences."""
    read = read_passage(1, Passage("p1", "s1", {"text": " ".join(texts)}), ())
    return [sentence.text for sentence in read]


def passage(text: str = ADVICE, question: str = "Is it the flu? My head aches.") -> Passage:
    return Passage("p1", "s1", {"question": question, "answer": text})


def test_a_sentence_says_where_it_stands_and_what_it_does():
    read = read_passage(2, passage(), ())
    assert [s.text for s in read if s.answers] == [
        "Take the tablets with water.",
        "Do not drive, and don't cycle.",
        "Then rest for two hours.",
    ]
    assert [s.place for s in read] == list(range(5))
    assert [s.warns for s in read] == [False, False, False, True, False]
    assert [s.refers for s in read] == [False, True, False, False, True]
    assert {s.rank for s in read} == {2}


def test_a_passage_that_is_read_again_gets_the_rank_and_the_fields_of_the_reading():
    again = [read_passage(rank, passage(), ()) for rank in (1, 3)]
    assert [{s.rank for s in read} for read in again] == [{1}, {3}]
    assert [s.text for s in again[0]] == [s.text for s in again[1]]
    asked = read_passage(1, passage(), ("question",))
    assert [s.answers for s in asked] == [True, True, False, False, False]


def test_a_passage_of_any_length_is_read_alike():
    words = " ".join(f"word{number}" for number in range(900))
    read = read_passage(1, passage(f"{ADVICE} It was {words}."), ())
    assert [s.text for s in read[:5]] == [s.text for s in read_passage(1, passage(), ())]
    assert len(read) == 6


def test_the_words_of_a_sentence_do_not_depend_on_a_token_in_it():
    assert content_stems(f"{ADVICE} PERSON_[aa]") == (*content_stems(ADVICE), "PERSON_[aa]")
    name = passage("PERSON_[aa], don't drive. Ask PERSON_[bb] first.")
    assert [s.text for s in read_passage(1, name, ()) if s.answers] == [
        "Don't drive.",
        "Ask PERSON_[bb] first.",
    ]


def test_sentences_are_kept_up_to_a_number_of_characters(monkeypatch):
    read = []
    quotable = sentences._quotable
    monkeypatch.setattr(
        sentences,
        "_quotable",
        lambda text, marks, speaks: read.append(text) or quotable(text, marks, speaks=speaks),
    )
    kept = sentences._KeptSentences(characters=50)
    first, second, third = (((True, f"Text {number} has 20 letters."),) for number in "123")
    for fields in (first, second, first, third, first, second):
        assert [s.text for s in kept.sentences(fields)] == [fields[0][1]]
    assert read == [fields[0][1] for fields in (first, second, third, second)]
    too_long = ((True, "A long text. " * 5),)
    assert kept.sentences(too_long) == kept.sentences(too_long)
    assert read[-2:] == [too_long[0][1]] * 2


@pytest.mark.parametrize(
    "text",
    [
        f"Present: {ADA} (chair), {BO} (treasurer), {CY}, PERSON_[dd], PERSON_[ee].",
        f"{ADA}: passed the theory with 71 of 100.",
        f"Class 1, light honey: first {ADA}, second {BO}, third not awarded.",
        f"{ADA}, AGE_[aa], can no longer lift full supers.",
        f"{ADA}, 79, can no longer lift full supers.",
        f"{ADA}, born in 2001, takes over from you.",
        f"{ADA}, our nurse, will call you.",
        f"{ADA}, {BO} and you are on the list.",
        f"Mrs {ADA}, who collected the bike, got a discount.",
        f"Shifting changed to automatic hub, {ADA}, 11 turns at the unit.",
        f"Copy to {ADA}, because of the same origin.",
        f"The honey goes to the first on the list, {ADA}; you are second.",
        f"With {ADA}, you have found a good helper.",
    ],
)
def test_a_name_that_is_spoken_of_stays(text: str) -> None:
    for texts in ((text,), ("The meeting was long.", text, "It ended well.")):
        assert text in quoted(*texts)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        (f"Dear Mr {ADA}, the association thanks you.", "The association thanks you."),
        (f"Hello {ADA} and {BO}! The tin is in the cupboard.", "The tin is in the cupboard."),
        (f"Good morning {ADA}, the mill opens.", "The mill opens."),
        (f"{ADA}, don't drive.", "Don't drive."),
        (f"Mrs {ADA}, please rest the knee.", "Please rest the knee."),
        (f"{ADA}, this looks like gout, and you need not worry.", None),
        (f"{ADA}, a watch can raise the suspicion but not prove it, so you come here.", None),
    ],
)
def test_the_person_whom_a_sentence_speaks_to_is_left_out(text: str, bare: str | None) -> None:
    rest = text.partition(", ")[2]
    assert quoted("The mail came.", text, "The knee heals.")[1] == (
        bare or f"{rest[0].upper()}{rest[1:]}"
    )


def test_the_first_sentence_of_a_text_that_says_you_speaks_to_its_name() -> None:
    assert quoted(f"{ADA}, this is gout.", "You may eat cheese.")[0] == "This is gout."
    kept = f"{ADA}, this time a winner."
    assert quoted(kept, "The cup was won.")[0] == kept


def test_the_first_sentence_is_no_signature() -> None:
    for fact in ("ID_[aa]: motor blocked.", "Not an DEMOGRAPHIC_[aa] but done as a favour."):
        assert quoted(fact, "The bearing is broken.") == [fact, "The bearing is broken."]


@pytest.mark.parametrize(
    ("last", "is_quoted"),
    [
        (f"Best regards, Dr. {ADA}", False),
        (f"{ADA}, ORGANIZATION_[aa]", False),
        (f"Travel nurse {ADA}, LOCATION_[aa] Surgery", False),
        ("E42: ID_[aa] blocked.", True),
        ("After DATE_TIME_[aa] an old warning no longer counts.", True),
        (f"Done by {ADA} on 5 June.", True),
        (f"Report: {ADA}.", True),
        (f"{ADA}, chair, PHONE_NUMBER_[aa]", True),
        (f"Plumber {ADA} mended the pipe.", True),
        (f"Dr. {ADA} of LOCATION_[aa]", False),
    ],
)
def test_a_signature_is_a_name_at_the_end(last: str, *, is_quoted: bool) -> None:
    assert (last in quoted("The stand broke.", last)) == is_quoted


def test_a_greeting_without_a_name_is_not_quoted() -> None:
    assert quoted("Dear parents of year AGE_[aa],\nThe school opens.") == ["The school opens."]


def test_the_headers_of_a_mail_that_is_passed_on_are_not_quoted():
    mail = (
        f"---------------------- Forwarded by {ADA}/MILL on 3 May ---------------------------\n\n"
        f"From: The office of {BO}\nSent by: {ADA}\nTo: {ADA}, {CY}\ncc:\nSubject: Repair of the sluice\n\n"
        f"The sluice is repaired. It holds the water again.\n\n-----Original Message-----\n"
        f"cc: \nPlease repair the sluice before the summer."
    )
    read = read_passage(1, Passage("p1", "s1", {"text": mail}), ())
    assert labelled_texts(read) == [
        f"From: The office of {BO}",
        "Subject: Repair of the sluice",
        "The sluice is repaired.",
        "It holds the water again.",
        "Please repair the sluice before the summer.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "To be safe: wait a day.",
        "Toast: brown it.",
        "CC: a sore hock for nine days.",
        "To: the end of the lane.",
    ],
)
def test_a_sentence_that_only_begins_like_a_header_is_quoted(text):
    assert quoted(text) == [text]


def test_the_signs_before_quoted_lines_are_no_text():
    mail = (
        "I asked them.\n> -----Original Message-----\n> To: ada@a.example\n"
        "> Please call the desk today. They have not\n> received the report.\n> 3 cm is too long."
    )
    found = labelled_texts(read_passage(1, Passage("p1", "s1", {"text": mail}), ()))
    assert found == [
        "I asked them.",
        "Please call the desk today.",
        "They have not\nreceived the report.",
        "> 3 cm is too long.",
    ]


@pytest.mark.parametrize(
    "line", [f"{ADA}/HOU/Acme@Acme, {BO}/NA/Acme@Acme, {CY}/NA/Acme@Acme cc: Lee", f"Mr. {ADA} -"]
)
def test_the_rest_of_a_list_of_recipients_and_a_salutation_are_not_quoted(line):
    mail = f"{line}\nThe lift stands still. Please call."
    found = read_passage(1, Passage("p1", "s1", {"text": mail}), ())
    assert [s.text for s in found] == ["The lift stands still.", "Please call."]


def test_a_line_with_the_asked_code_and_no_other_content_is_quoted():
    passage = Passage(
        "p1", "s1", {"text": f"{ADA} wants a parking place. He has MISC_[aa] ID_[bb]."}
    )
    read = [[s.text for s in read_passage(1, passage, (), marks)] for marks in ((), {"ID_[bb]"})]
    assert ["He has MISC_[aa] ID_[bb]." in texts for texts in read] == [False, True]
