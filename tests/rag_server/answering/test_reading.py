"""Reading passages: what the reader sees of them, and which sentences it marks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sage_rag.agents.reading.testing import TableReader
from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering.evidence import ENOUGH, Evidence
from sage_rag.rag_server.answering.extractive import ExtractiveAnswerer
from sage_rag.rag_server.answering.outcome import Outcome, outcome_by_score
from sage_rag.rag_server.answering.protocols import AnswerContext, ConversationTurn
from sage_rag.rag_server.answering.reading import PassageReading, read_sentences
from sage_rag.rag_server.answering.sentences import read_passage
from sage_rag.rag_server.answering.wording import NOTHING_FOUND, UNCLEAR

KELLER, KELLERS, LIND = "PERSON_[aa11bb22]", "PERSON_[cc33dd44]", "PERSON_[ee55ff66]"
DAY = "DATE_TIME_[gg77hh88]"
LETTER = Passage(
    "p1",
    "SOURCE_[x]",
    {
        "text": f"The tenant {KELLER} has rented the old mill. The painter {LIND} painted it on {DAY}. The roof is of slate."
    },
    0.9,
)
BARN = Passage("p2", "SOURCE_[y]", {"text": "The barn has a tin roof. It leaks in spring."}, 0.8)


def sentences(passage=LETTER):
    return read_passage(1, passage, ())


def test_a_value_has_one_number_in_question_and_passage():
    reader = TableReader({})
    read_sentences(f"When did {LIND} paint?", sentences(), (), reader)
    (question, (text,)), *_ = reader.asked
    assert question == "When did person 1 paint?"
    assert text == (
        "The tenant person 2 has rented the old mill. The painter person 1 painted it on"
        " date time 1. The roof is of slate."
    )


def test_a_name_in_another_spelling_is_the_passages_own():
    reader = TableReader({})
    read_sentences(f"What does {KELLERS} rent?", sentences(), (KELLER,), reader)
    assert [question for question, _ in reader.asked] == ["What does person 1 rent?"]
    assert reader.asked[0][1][0].startswith("The tenant person 1 has rented")


def test_no_ciphertext_reaches_the_reader():
    reader = TableReader({})
    read_sentences(f"What does {KELLERS} rent?", sentences(), (KELLER,), reader)
    shown = [text for question, texts in reader.asked for text in (question, *texts)]
    assert not any("_[" in text for text in shown)


def test_the_sentences_with_the_answer_are_marked():
    question = "What is the roof of the mill made of?"
    found = read_sentences(question, sentences(), (), TableReader({question: "slate"}))
    assert [s.text for s in found.sentences] == ["The roof is of slate."]
    assert found.probability > 0.9
    other = read_sentences(question, sentences(BARN), (), TableReader({question: "slate"}))
    assert other.probability < 0.1
    assert not other.sentences


def test_an_answer_over_two_sentences_marks_both():
    question = "What is it like?"
    reader = TableReader({question: "roof. It leaks"})
    found = read_sentences(question, sentences(BARN), (), reader)
    assert len(found.sentences) == 2


STRONG, WEAK = Evidence(0.7, 0.9, sentence=0.7), Evidence(0.3, 0.3, sentence=0.3)


def answered(question, answer, evidence, *passages):
    context = AnswerContext(question, passages or (LETTER, BARN), evidence=evidence)
    return ExtractiveAnswerer(None, TableReader({question: answer})).compose(context)


def test_the_sentence_that_answers_is_quoted():
    answer = answered("Of what is it made on top?", "slate", STRONG)
    assert "slate" in answer
    assert answer.endswith("[1]")
    assert not answer.startswith(UNCLEAR)


def test_as_little_surrounds_an_unclear_answer_as_a_sure_one():
    opens = (
        "The kiln of the pottery opens at six in the morning of every day but Sunday, when the "
        "potter and both of his apprentices are in town for the market."
    )
    text = f"{opens} The kiln warms slowly on cold days. The wheel is turned by foot."
    question = "When does the kiln of the pottery open?"
    evidence = Evidence(ENOUGH, 0.0, sentence=ENOUGH)
    context = AnswerContext(
        question, (Passage("p1", "SOURCE_[x]", {"text": text}, 0.9),), evidence=evidence
    )

    def answer(reader):
        return ExtractiveAnswerer(None, reader).compose(context).removeprefix(UNCLEAR).strip()

    sure, unsure = (TableReader({question: "at six"}, sure) for sure in (0.99, 0.5))
    assert answer(unsure) == answer(sure) == f"{opens} [1]"
    assert len(answer(None)) > len(answer(sure))
    assert ExtractiveAnswerer(None, unsure).compose(context).startswith(UNCLEAR)


def test_a_near_record_that_answers_nothing_is_not_given_as_an_answer():
    near = Evidence(0.5, 0.5, sentence=0.5)
    assert near.answers, "the evidence alone would answer"
    answer = answered("Who pays for the roof of the mill?", "", near)
    assert answer == NOTHING_FOUND or answer.startswith(UNCLEAR)


@pytest.mark.parametrize(("sure", "is_clear"), [(0.99, True), (0.7, False)])
def test_what_a_person_reported_of_themselves_is_quoted(sure, is_clear):
    fields = {
        "question": f"I am {KELLER} and bake bread for the town. May I eat salt?",
        "answer": f"Salt harms no one with your job, {KELLER}. Drink enough water with it.",
    }
    passage = Passage("p3", "SOURCE_[z]", fields, 0.9)
    evidence = Evidence(0.6, 0.6, sentence=0.6, known=1, about=(1,), meant=(KELLER,))
    question = f"What is the job of {KELLER}?"
    context = AnswerContext(question, (passage,), evidence=evidence, answer_fields=("answer",))
    asked = ("What is the job of person 1?", "What is person 1's job?")
    reader = TableReader(dict.fromkeys(asked, "bake bread"), sure)
    quoted = f"I am {KELLER} and bake bread for the town. [1]"
    answer = ExtractiveAnswerer(None, reader).compose(context)
    assert answer == quoted if is_clear else answer == f"{UNCLEAR}\n\n{quoted}"
    # What an earlier question asked for, advice here, is not asked any more.
    later = replace(context, question="What is her job?", standalone=f"{question} suggest salt")
    assert ExtractiveAnswerer(None, reader).compose(later) == answer


@pytest.mark.parametrize(("sure", "is_told"), [(0.99, True), (0.6, False)])
def test_a_question_of_a_conversation_is_about_its_record_where_the_reader_finds_it(sure, is_told):
    rent = Passage("p4", "SOURCE_[w]", {"text": "The rent of the barn is asked by the week."}, 0.9)
    text = f"The tenant {KELLER} wrote on {DAY}. For the rent we ask for fifteen percent less."
    told = Passage("p5", "SOURCE_[v]", {"text": text}, 0.5)
    question = "How much of the rent is asked back?"
    history = [
        ConversationTurn("user", f"When did {KELLER} write?"),
        ConversationTurn("assistant", f"The tenant {KELLER} wrote on {DAY}. [1]"),
    ]
    reader = TableReader({question: "fifteen percent"}, sure)
    context = AnswerContext(question, (rent, told), history, standalone=question, evidence=STRONG)
    answer = ExtractiveAnswerer(None, reader).compose(context)
    assert ("fifteen percent" in answer and answer.endswith("[2]")) is is_told
    assert not ExtractiveAnswerer(None, reader).compose(replace(context, history=())).endswith("2]")


def test_what_is_far_is_not_read():
    reader = TableReader({})
    context = AnswerContext("renew a passport", (LETTER,), evidence=Evidence(0.05, 0.0))
    assert ExtractiveAnswerer(None, reader).compose(context) == NOTHING_FOUND
    assert not reader.asked


def reading(probability):
    return PassageReading(probability, frozenset())


def test_evidence_and_reading_decide_together():
    def outcome(evidence, probability, *, lacks=False):
        return outcome_by_score(evidence, reading(probability), lacks_detail=lacks)

    assert outcome(STRONG, 0.99) is Outcome.ANSWER
    assert outcome(WEAK, 0.01) is Outcome.NOTHING
    order = [Outcome.NOTHING, Outcome.UNCLEAR, Outcome.ANSWER]
    at_threshold = Evidence(ENOUGH, 0.0, sentence=ENOUGH)
    found = [order.index(outcome(at_threshold, p / 100)) for p in range(101)]
    assert found == sorted(found), "a surer reading never makes an answer less sure"
    assert {0, 2} <= set(found)
    assert order.index(outcome(at_threshold, 0.6, lacks=True)) <= found[60]


@pytest.mark.parametrize("probability", [0.0, 0.5, 1.0])
def test_who_asks_for_a_whole_record_gets_it(probability):
    whole = Evidence(0.2, 0.2, whole_record=True)
    assert outcome_by_score(whole, reading(probability), lacks_detail=True) is Outcome.ANSWER


def test_what_a_code_names_is_shown_though_a_reader_finds_no_answer_in_it():
    named = Evidence(0.1, 0.1, by_few_words=True)
    assert outcome_by_score(named, reading(0.01), lacks_detail=False) is Outcome.UNCLEAR


def test_without_a_reader_evidence_and_details_decide():
    assert outcome_by_score(STRONG, None, lacks_detail=False) is Outcome.ANSWER
    assert outcome_by_score(STRONG, None, lacks_detail=True) is Outcome.UNCLEAR
    assert outcome_by_score(WEAK, None, lacks_detail=False) is Outcome.UNCLEAR
