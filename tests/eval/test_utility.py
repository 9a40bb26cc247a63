import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.eval.utility import (
    ContentWeights,
    agreement,
    bleu_1,
    strip_citations,
    without_courtesies,
)

WEIGHTS = ContentWeights.of(["rest the knee", "cool the knee", "the knee swells", "inhale steam"])
TEXTS = st.lists(st.sampled_from("the knee knees swells steam rest cool and rash".split())).map(
    " ".join
)


@pytest.mark.parametrize(
    ("answer", "reference", "score"),
    [
        ("the cat sat", "The cat sat.", 1.0),
        ("the the the", "the cat sat", 1 / 3),  # counts are clipped
        ("the cat", "the cat sat here", math.exp(1 - 4 / 2)),  # brevity
        ("the cat sat on it", "the cat", 2 / 5),  # no penalty for length but precision
        ("dog", "cat", 0.0),
        ("", "cat", 0.0),
        ("cat", "", 0.0),
    ],
)
def test_bleu_1(answer, reference, score):
    assert bleu_1(answer, reference) == pytest.approx(score)


def test_citations_are_stripped_and_other_brackets_stay():
    assert strip_citations("Rest [1] and ice [2][13]. See [a] [PERSON_1].") == (
        "Rest and ice. See [a] [PERSON_1]."
    )


def test_agreement_looks_for_the_first_of_the_reference_in_the_top_k():
    reference = [["a", "b"], ["c"], ["d"], []]
    other = [["b", "a"], ["a", "b", "c"], ["x"], ["y"]]
    assert agreement(reference, other, 2).successes == 1
    assert agreement(reference, other, 3).successes == 2
    assert agreement(reference, other, 3).trials == 4
    with pytest.raises(InputError, match="cannot be compared"):
        agreement([], [], 3)


def test_greetings_thanks_and_wishes_are_left_out():
    text = "Hello, welcome. Rest the knee for a week. Thank you for your question.\nCool it daily."
    assert without_courtesies(text) == "Rest the knee for a week. Cool it daily."
    assert without_courtesies("Hello. Thanks!") == ""


def test_content_counts_by_idf_without_stop_words_and_endings():
    assert WEIGHTS.f1("Resting knees!", "rest the knee") == pytest.approx(1)
    knee, rest, swell = (math.log(1 + 4 / n) for n in (3, 1, 1))
    found = WEIGHTS.f1("the knee swells", "rest the knee")
    assert found == pytest.approx(2 * knee / (2 * knee + rest + swell))
    unknown = WEIGHTS.f1("knee rash", "rest the knee")
    assert unknown == pytest.approx(2 * knee / (2 * knee + rest + math.log(5)))


@example("knee swells rest", "knee swells rest")
@given(TEXTS, TEXTS)
def test_content_f1_is_symmetric_and_ignores_order_and_repetitions(answer, reference):
    found = WEIGHTS.f1(answer, reference)
    assert 0 <= found <= 1
    assert found == pytest.approx(WEIGHTS.f1(reference, answer))
    again = " ".join([*reversed(answer.split()), *answer.split()])
    assert found == pytest.approx(WEIGHTS.f1(again, reference))


@pytest.mark.parametrize(("answer", "reference"), [("", "knee"), ("knee", "the"), ("", "")])
def test_without_content_there_is_no_agreement(answer, reference):
    assert WEIGHTS.f1(answer, reference) == 0


def test_weights_need_texts():
    with pytest.raises(InputError):
        ContentWeights.of([])
