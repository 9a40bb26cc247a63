import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.agents.rules.wording import RUN, Wording
from sage_rag.privacy.gate.leakage import Original

LONG = (
    "I would suggest you to take the tablet with a glass of water every morning since it does not "
    "stay in the stomach if it is empty."
)
FIRM = "Wide flat stones from distant northern valleys carry thin green moss under melting snow."


def reword(seed, sentences):
    return Wording(seed).reword(sentences, Original(" ".join(sentences)))


def test_the_same_seed_gives_the_same_words():
    assert reword("a", [LONG]) == reword("a", [LONG])


def test_seeds_vary_the_words():
    long = "The knee was swollen for the last week because of heavy boots from the mountain shop."
    assert len({" ".join(reword(str(seed), [long])) for seed in range(20)}) > 1


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_no_run_of_ten_words_stays_where_edits_can_break_it(seed):
    assert Original(LONG).longest_shared_run(" ".join(reword(seed, [LONG]))) < RUN


def test_a_run_that_no_edit_breaks_stays_as_it_is():
    assert reword("a", [FIRM]) == [FIRM]


def test_a_sentence_without_a_run_stays_as_it_is():
    assert reword("a", ["The rash is on my left arm."]) == ["The rash is on my left arm."]


def test_a_run_over_the_end_of_a_sentence_is_broken_within_one_of_them():
    sentences = ["My knee clicks when I climb.", "It is because of an old fall."]
    reworded = reword("a", sentences)
    assert len(reworded) == 2
    assert Original(" ".join(sentences)).longest_shared_run("\n".join(reworded)) < RUN


def test_a_question_of_yes_or_no_becomes_indirect_where_nothing_lighter_helps():
    asked = "Is it common among tall cooks with flat feet near hot kitchen ovens?"
    assert reword("a", [asked]) == [f"I would like to know whether it is{asked[5:-1]}."]


def test_a_run_is_loosened_in_one_sentence():
    run = "comes back because of the heat"
    loosened = Wording("a").loosen(run, f"It {run}.")
    assert Original(run).longest_shared_run(loosened) < 6
    assert loosened.startswith("It comes back")


clause = st.sampled_from(
    [
        "if it bleeds",
        "unless she is pregnant",
        "do not stop the 40 mg tablet",
        "take it twice a day",
        "my left knee hurts because of the fall",
        "until the rash is gone",
        "I am still tired",
    ]
)


@given(st.lists(clause, min_size=1, max_size=5), st.text(max_size=3))
def test_conditions_negations_doses_and_sides_stay(clauses, seed):
    sentence = ", ".join(clauses).capitalize() + "."
    text = " ".join(reword(seed, [sentence])).casefold()
    for pattern in (r"\b40 mg\b", r"\bleft\b", r"\bbleeds\b", r"\bpregnant\b", r"\bunless\b"):
        assert len(re.findall(pattern, text)) == len(re.findall(pattern, sentence.casefold()))
    assert len(re.findall(r"do not|don't", text)) == sentence.casefold().count("do not")
    assert len(re.findall(r"\b(?:until|till)\b", text)) == sentence.casefold().count("until")
    assert len(re.findall(r"\bif\b", text)) == len(re.findall(r"\bif\b", sentence.casefold()))
