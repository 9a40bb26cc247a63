import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.sentences import sentence_spans
from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering.extractive import NOTHING_FOUND, ExtractiveAnswerer

KELLER = "PERSON_[q2Zf3kAAx.9=-_]"
LINDE = "PERSON_[Yh88sLmQ2r]"


def passage(number, **fields):
    return Passage(f"p{number}", "SOURCE_[x]", fields, 1.0 / number)


MIGRAINE = passage(
    1,
    question="I get a migraine every week. The light hurts my eyes.",
    answer=f"Keep a diary of the migraine. Dr. {LINDE} advises magnesium at night. Take care.",
)
BURN = passage(
    2,
    question=f"My name is {KELLER} and I burned my hand on a kettle.",
    answer="Cool the burn under running water for twenty minutes. Do not use ice.",
)
ANKLE = passage(3, question="I twisted my ankle.", answer="Rest the ankle and raise it. Ice helps.")


def compose(question, *passages, **kwargs):
    return ExtractiveAnswerer(**kwargs).compose(question, passages)


def test_advice_comes_from_the_reply():
    answer = compose("What helps against a migraine?", MIGRAINE)
    assert "Keep a diary of the migraine." in answer
    assert "light hurts" not in answer


def test_every_group_of_sentences_is_cited_by_rank():
    answer = compose("What helps with a burn or an ankle?", BURN, ANKLE)
    assert re.findall(r"\[\d\]", answer) == ["[1]", "[2]"]
    assert answer.index("running water") < answer.index("[1]") < answer.index("Rest the ankle")


def test_pleasantries_are_not_repeated():
    assert "Take care" not in compose("migraine diary", MIGRAINE)


def test_no_passage_is_an_honest_answer():
    assert compose("What helps against a migraine?") == NOTHING_FOUND


def test_nothing_shared_is_an_honest_answer():
    assert compose("How do I renew a passport?", MIGRAINE, BURN) == NOTHING_FOUND


def test_a_sentence_with_a_token_of_the_question_comes_first_of_all():
    answer = compose(f"What did {LINDE} advise?", BURN, MIGRAINE, max_words=8)
    assert answer == f"Dr. {LINDE} advises magnesium at night. [2]"


def test_what_a_person_reported_comes_from_their_own_words():
    answer = compose(f"What happened to {KELLER}?", BURN)
    assert f"My name is {KELLER} and I burned my hand on a kettle." in answer


def test_tokens_match_exactly():
    other = LINDE.replace("Yh88", "yh88")
    answer = compose(f"What about {other} and the diary?", MIGRAINE, max_words=6)
    assert LINDE not in answer


def test_at_most_three_passages_are_read():
    fourth = passage(4, question="ankle?", answer="An ankle needs a bandage.")
    assert "bandage" not in compose("ankle bandage", ANKLE, BURN, MIGRAINE, fourth)


def test_what_two_passages_both_say_is_said_once():
    twin = passage(2, question="My ankle!", answer="Rest the ankle and raise it.")
    assert compose("ankle", ANKLE, twin).count("Rest the ankle") == 1


def test_a_document_without_sides_is_all_reply():
    text = passage(1, text="The mill burned down twice. It stands at the river.")
    assert compose("When did the mill burn?", text).startswith("The mill burned down twice.")


def test_a_title_does_not_end_a_sentence():
    text = passage(1, text=f"Ask Dr. {LINDE} about the mill. It stands.")
    assert f"Ask Dr. {LINDE} about the mill. " in compose("mill", text)


sentences = st.lists(
    st.lists(
        st.sampled_from(["mill", "river", "burned", KELLER, "the", "a", "grain"]),
        min_size=1,
        max_size=12,
    ).map(lambda found: " ".join(found) + "."),
    min_size=1,
    max_size=6,
)


@given(st.lists(sentences, max_size=5), st.integers(5, 60))
def test_answers_cite_only_what_they_quote_and_keep_the_budget(texts, budget):
    passages = [passage(n, text=" ".join(text)) for n, text in enumerate(texts, 1)]
    answer = compose(f"mill {KELLER}", *passages, max_words=budget)
    cited = {int(n) for n in re.findall(r" \[(\d)\]", answer)}
    assert cited <= set(range(1, len(passages) + 1))
    assert len(cited) <= 3
    count = len(re.sub(r" \[\d\]", "", answer).split())
    joined = [" ".join(text) for text in texts]
    sizes = [len(t[start:end].split()) for t in joined for start, end in sentence_spans(t)]
    longest = max(sizes, default=0)  # "a." does not end a sentence
    assert count <= max(budget, longest) or answer == NOTHING_FOUND
    assert answer.replace(KELLER, "").count("PERSON_") == 0


@pytest.mark.parametrize("question", ["", "?", "the of and"])
def test_an_empty_question_finds_nothing(question):
    assert compose(question, MIGRAINE) == NOTHING_FOUND
