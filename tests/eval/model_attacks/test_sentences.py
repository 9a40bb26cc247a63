from __future__ import annotations

from sage_rag.eval.knowledge.exact_recognizer import ExactRecognizer
from sage_rag.eval.knowledge.persons import Person
from sage_rag.eval.model_attacks.canaries import invent_canaries
from sage_rag.eval.model_attacks.sentences import (
    NamedSentence,
    canary_sentences,
    named_sentences,
)

RECOGNIZER = ExactRecognizer([Person("Ada Moreno", {}), Person("Bo Lund", {})])


def test_a_sentence_with_one_name_and_words_around_it_is_taken() -> None:
    text = "It rained. At noon Ada Moreno left\nthe old mill."
    assert named_sentences([text], RECOGNIZER, 5, seed=0) == [
        NamedSentence("At noon ", "Ada Moreno", " left the old mill.")
    ]


def test_sentences_that_the_attacks_cannot_use_are_left_out() -> None:
    unusable = [
        "Ada Moreno left the old mill.",  # nothing before the name
        "Then came Ada Moreno.",  # nothing after it
        "Then Ada Moreno met old Bo Lund there.",
        "No name is here at all.",
        "Then Ada Moreno left the mill " + "and the farm " * 8,
    ]
    assert named_sentences(["\n\n".join(unusable)], RECOGNIZER, 5, seed=0) == []


def test_the_count_and_the_seed_decide() -> None:
    texts = ["\n\n".join(f"On day {i} Bo Lund sold the mill." for i in range(50))] * 2
    found = named_sentences(texts, RECOGNIZER, 8, seed=1)
    assert len({sentence.text for sentence in found}) == 8
    assert found == named_sentences(texts, RECOGNIZER, 8, seed=1)
    assert found != named_sentences(texts, RECOGNIZER, 8, seed=2)


def test_the_sentence_of_a_canary_is_its_first() -> None:
    for canary, sentence in zip(
        invent_canaries({1: 5}, 0), canary_sentences(invent_canaries({1: 5}, 0)), strict=True
    ):
        assert canary.text.startswith(sentence.text)
        assert sentence.name == canary.name
