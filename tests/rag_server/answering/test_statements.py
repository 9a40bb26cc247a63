"""Answers of several consensus passages."""

from __future__ import annotations

from sage_rag.indexer.passages import CONSENSUS, Passage
from sage_rag.rag_server.answering.extractive import ExtractiveAnswerer
from sage_rag.rag_server.answering.protocols import AnswerContext
from sage_rag.rag_server.answering.wording import NOTHING_FOUND
from tests.rag_server.fakes import WordsEmbedder


def passage(answer, question="Often: knee."):
    return Passage("p", "SOURCE_[x]", {"question": question, "answer": answer}, layer=CONSENSUS)


def compose(question, *passages, embedder=None):
    return ExtractiveAnswerer(embedder).compose(AnswerContext(question, passages))


def test_often_said_statements_come_before_the_others_and_topics_follow():
    found = passage("Often: rest the knee.\nCold packs help.\nSwollen?\nTopics: knee pain, gout.")
    assert compose("What helps a knee?", found) == (
        "Often said:\n- Rest the knee [1]\n\nAlso said:\n- Cold packs help [1]\n\n"
        "Topics: knee pain, gout [1]"
    )


def test_what_is_possible_comes_first_and_topics_last():
    first = passage("Rest the knee.\nPossible: gout, sprain.\nTopics: brace.")
    second = passage("Possible: knee fracture.")
    assert compose("Is it a fracture?", first, second) == (
        "It may be knee fracture or gout. [1][2]\n\nAlso said:\n- Rest the knee [1]\n\n"
        "Topics: brace [1]"
    )


def test_what_is_possible_is_a_sentence_in_the_words_of_the_passages():
    first = passage("Possible: gout.\nPossible causes: milk.\nAdvised: plain x-ray, rest.")
    second = passage("You may have, notably: knee fracture.")
    assert compose("Is it a fracture?", first, second) == (
        "You may have knee fracture or gout. [1][2]\n\nIt may be due to milk. [1]\n\n"
        "Advised: plain x-ray, rest [1]"
    )


def test_each_statement_cites_the_first_passage_that_has_it():
    first, second = passage("Rest the knee."), passage("Rest the knee.\nTopics: brace.")
    answer = compose("What helps a knee?", first, second)
    assert answer == "Also said:\n- Rest the knee [1]\n\nTopics: brace [2]"


def test_what_is_near_to_the_question_comes_first_from_whichever_passage():
    first, second = passage("Wear a hat.\nDrink tea."), passage("Wear a brace on the knee.")
    for embedder in (None, WordsEmbedder()):
        answer = compose("Is a brace good for my knee?", first, second, embedder=embedder)
        assert answer.startswith("Also said:\n- Wear a brace on the knee [2]")


def test_a_statement_of_two_passages_comes_before_one_as_near():
    first, second = passage("Wear a hat.\nDrink tea."), passage("Drink tea.")
    assert compose("Is it cold?", first, second).startswith("Also said:\n- Drink tea [1]")


WORDS = "salt honey ginger yoghurt cocoa lemon mint basil pepper rice".split()


def test_an_answer_is_short():
    clauses = "\n".join(f"{word.capitalize()} helps." for word in WORDS)
    many = passage(f"{clauses}\nPossible: gout, mumps, lupus, scurvy.\nTopics: {', '.join(WORDS)}.")
    answer = compose("What helps?", many)
    assert answer.count("\n- ") == 6
    assert answer.startswith("It may be gout or mumps. [1]\n\nAlso said:")
    assert answer.endswith("Topics: mint, basil, pepper, rice [1]")


def test_of_statements_as_near_that_of_the_better_passage_comes_first():
    first, second = passage("Wear a hat."), passage("Drink tea.")
    for passages, line in (((first, second), "Wear a hat"), ((second, first), "Drink tea")):
        assert compose("Is it cold?", *passages).startswith(f"Also said:\n- {line} [1]")


def test_what_an_answer_has_is_not_said_again():
    found = passage("Rest the sore knee.\nRest the knee.\nTopics: sore knee, knee brace.")
    answer = compose("My knee is sore?", found)
    assert answer == "Also said:\n- Rest the sore knee [1]\n\nTopics: knee brace [1]"


def test_without_statements_there_is_no_answer():
    assert compose("What helps?", passage("Is it swollen?")) == NOTHING_FOUND
