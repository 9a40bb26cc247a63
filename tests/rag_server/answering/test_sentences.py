"""The sentences of a passage, as an answer reads them."""

from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering import sentences
from sage_rag.rag_server.answering.sentences import content_stems, read_passage

ADVICE = "Take the tablets with water. Do not drive, and don't cycle.\nThen rest for two hours."


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
        lambda text, speaks: read.append(text) or quotable(text, speaks=speaks),
    )
    kept = sentences._KeptSentences(characters=50)
    first, second, third = (((True, f"Text {number} has 20 letters."),) for number in "123")
    for fields in (first, second, first, third, first, second):
        assert [s.text for s in kept.sentences(fields)] == [fields[0][1]]
    assert read == [fields[0][1] for fields in (first, second, third, second)]
    too_long = ((True, "A long text. " * 5),)
    assert kept.sentences(too_long) == kept.sentences(too_long)
    assert read[-2:] == [too_long[0][1]] * 2
