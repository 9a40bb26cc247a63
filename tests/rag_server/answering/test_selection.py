from hypothesis import given
from hypothesis import strategies as st

from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering.selection import choose
from sage_rag.rag_server.answering.sentences import read_passage
from sage_rag.rag_server.answering.values import Asked, values_of


def chosen(question, text, *, most_words=40, few_words=10):
    sentences = read_passage(1, Passage("p1", "SOURCE_[x]", {"text": text}), ())
    asked = Asked(question)
    found = choose(
        values_of(sentences, asked, {}),
        asked=asked.stems,
        most_words=most_words,
        few_words=few_words,
    )
    return [sentence.text for sentence in found]


def test_context_is_not_put_before_the_answer():
    text = "The mill has a wheel. The bridge was built of oak. The ferry leaves at nine."
    assert chosen("When does the ferry leave?", text)[0] == "The ferry leaves at nine."


def test_one_of_two_cases_brings_the_other_one():
    text = "Test the water first. If negative, the well stays open. If positive, boil every litre."
    found = chosen("When does the well stay open?", text, few_words=1)
    assert found[-2:] == ["If negative, the well stays open.", "If positive, boil every litre."]


def test_a_sentence_that_announces_the_next_one_brings_it():
    text = "Rust spreads below the paint. The remedy is sanding. Use coarse paper, then fine paper."
    found = chosen("What is the remedy?", text, few_words=1)
    assert found == ["The remedy is sanding.", "Use coarse paper, then fine paper."]


def test_a_sentence_with_new_words_of_the_question_is_preferred():
    text = (
        "The oak tree of the garden is old. The oak tree of the garden is tall. "
        "Cutting needs a permit."
    )
    found = chosen("Does cutting the oak tree need a permit?", text, most_words=14, few_words=14)
    assert "Cutting needs a permit." in found


def test_a_passage_keeps_a_share_of_its_value():
    passages = [Passage(str(n), "SOURCE_[x]", {"text": "The kiln opens at six."}) for n in (1, 2)]
    sentences = [s for rank, p in enumerate(passages, 1) for s in read_passage(rank, p, ())]
    first, second = values_of(sentences, Asked("When does the kiln open?"), {2: 0.5}).values()
    assert second == first / 2


@given(st.lists(st.sampled_from("red green blue oak elm ash".split()), min_size=1, max_size=12))
def test_no_more_words_than_allowed_without_warnings(words):
    text = " ".join(f"The {word} door opens slowly on Sunday." for word in words)
    found = chosen("Which door opens on Sunday?", text, most_words=21, few_words=7)
    assert 0 < sum(len(sentence.split()) for sentence in found) <= 21
