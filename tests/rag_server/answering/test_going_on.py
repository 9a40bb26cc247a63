"""Questions that go on from the last answer, and what is left of its record."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sage_rag.agents.reading.protocols import Reading
from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering.evidence import Evidence
from sage_rag.rag_server.answering.extractive import ExtractiveAnswerer
from sage_rag.rag_server.answering.going_on import asks_for_more
from sage_rag.rag_server.answering.protocols import AnswerContext, ConversationTurn
from sage_rag.rag_server.answering.wording import NO_MORE, UNCLEAR
from sage_rag.rag_server.followups import standalone

ADA, BO = "PERSON_[AdaAda]", "PERSON_[BoBoBo]"
MILL = Passage(
    "p1",
    "SOURCE_[x]",
    {"text": f"File ID_[aaaa], DATE_TIME_[bbbb]. The mill of {ADA} burned down. The roof is lost."},
    1.0,
)
OATS = Passage("p2", "SOURCE_[y]", {"text": f"{ADA} sold the oats to the brewery."}, 0.9)


def follow(turns, *passages, about=()):
    """Return the answer to the last of some turns; questions and answers alternate."""
    *before, question = turns
    history = [ConversationTurn(("user", "assistant")[n % 2], t) for n, t in enumerate(before)]
    asked = [*before[::2], question]
    evidence = Evidence(1, 1, known=1, about=about or (1,), meant=(ADA,))
    context = AnswerContext(
        question, passages, history, standalone=standalone(asked), evidence=evidence
    )
    return ExtractiveAnswerer(few_words=1, most_words=5).compose(context)


@pytest.mark.parametrize(
    "question",
    ["What else?", "And what else is there?", "anything else?", "Tell me more", "go on", "more"],
)
def test_more_is_asked_for_in_few_words(question):
    assert asks_for_more(question)


@pytest.mark.parametrize(
    "question", ["What else did she sell?", "Who else?", "more oats", "Is there more beer?"]
)
def test_a_question_with_a_matter_of_its_own_asks_for_no_more(question):
    assert not asks_for_more(question)


def test_what_else_quotes_what_is_left_of_the_record_and_then_the_others():
    turns = [f"What happened to the mill of {ADA}?", f"The mill of {ADA} burned down. [1]"]
    passages = (MILL, OATS)
    first = follow([*turns, "What else?"], *passages, about=(1, 2))
    assert first == "The roof is lost. [1]"
    turns += ["What else?", first, "And what else?"]
    second = follow(turns, *passages, about=(1, 2))  # the line of a number and a day says nothing
    assert second == f"{OATS.text} [2]"
    assert follow([*turns, second, "More?"], *passages, about=(1, 2)) == NO_MORE


def test_nothing_else_is_said_where_all_was_quoted():
    said = f"{OATS.text} [1]"
    turns = [f"What did {ADA} sell?", said, "What else?"]
    assert follow(turns, OATS) == NO_MORE
    assert follow([*turns, NO_MORE, "what else?"], OATS) == NO_MORE


@pytest.mark.parametrize(
    ("added", "is_clear"),
    [
        ("And the roof?", True),
        ("what about the roof", True),
        ("and MISC_[beer]?", False),
        ("and beer?", False),
        ("Beer?", False),
    ],
)
def test_a_word_that_is_added_must_be_in_the_answer(added, is_clear):
    text = f"The mill of {ADA} burned down. The roof is lost."
    turns = [f"What happened to the mill of {ADA}?", f"{text} [1]", added]
    answer = follow(turns, replace(MILL, fields={"text": text}))
    assert answer.startswith(UNCLEAR) is not is_clear


def test_the_price_may_be_stated_without_its_word():
    text = f"{ADA} sold the oats to the brewery for 40 euros."
    turns = [f"What did {ADA} sell?", f"{text} [1]", "And the price?"]
    assert follow(turns, replace(OATS, fields={"text": text})) == f"{text} [1]"
    assert follow(turns, OATS).startswith(UNCLEAR)


def test_why_is_unclear_where_no_sentence_leads_to_a_reason():
    turns = [f"What happened to the mill of {ADA}?", f"The mill of {ADA} burned down. [1]"]
    assert follow([*turns, "and why?"], MILL).startswith(UNCLEAR)
    text = f"The mill of {ADA} burned down because of a lamp."
    known = replace(MILL, fields={"text": text})
    assert follow([turns[0], f"{text} [1]", "and why?"], known) == f"{text} [1]"


def test_a_name_alone_asks_the_last_question_of_another_person():
    text = f"{BO} is a guest. The oats of {BO} are sold. The cat sleeps. The oats were wet."
    turns = [f"Who sold the oats of {ADA}?", "The brewery did. [1]", f"And {BO}?"]
    record = Passage("p3", "SOURCE_[z]", {"text": text}, 1.0)
    assert f"The oats of {BO} are sold." in follow(turns, record)


def test_the_record_of_another_person_is_not_denied_where_the_question_finds_nothing_in_it():
    class Doubting:
        def read(self, question, texts):
            return [Reading(0.001 if "Where" in question else 0.2, 0, 5) for _ in texts]

    asked, question = f"Where does {ADA} live?", f"And {BO}?"
    record = Passage("p3", "SOURCE_[z]", {"text": f"{BO} mends the roof of the mill."}, 1.0)
    context = AnswerContext(
        question,
        [record],
        [ConversationTurn("user", asked), ConversationTurn("assistant", "In the mill. [1]")],
        standalone=standalone([asked, question]),
        evidence=Evidence(0.5, 0.6, known=1, sentence=0.5, about=(1,), meant=(BO,)),
    )
    answer = ExtractiveAnswerer(reader=Doubting()).compose(context)
    assert answer == f"{UNCLEAR}\n\n{record.text} [1]"


def test_a_name_after_a_preposition_adds_to_what_was_asked_of_the_record():
    sale = replace(OATS, fields={"text": f"{ADA} sold the oats to {BO}. The oats were wet."})
    other = Passage("p4", "SOURCE_[w]", {"text": f"{BO} bakes."}, 1.0)
    turns = [f"What did {ADA} sell?", f"{ADA} sold the oats to {BO}. [1]", f"To {BO}?"]
    assert follow(turns, other, sale, about=(1, 2)).endswith("[2]")
