import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from sage_rag.common.exceptions import InputError
from sage_rag.eval.agreement import agreement
from sage_rag.eval.utility import bleu_1, exact_match, strip_citations, utility


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


@pytest.mark.parametrize(
    ("answer", "reference", "match"),
    [
        ("It is  Paris, of course", "paris", 1.0),
        ("It is London", "paris", 0.0),
        ("anything", " ", 0.0),
    ],
)
def test_exact_match_is_the_reference_inside_the_answer(answer, reference, match):
    assert exact_match(answer, reference) == match


def test_citations_are_stripped_and_other_brackets_stay():
    assert strip_citations("Rest [1] and ice [2][13]. See [a] [PERSON_1].") == (
        "Rest and ice. See [a] [PERSON_1]."
    )


def test_utility_is_the_mean_over_questions():
    found = utility(["rest [1]", "ice"], ["rest", "heat"])
    assert (found.questions, found.bleu_1, found.rouge_l, found.exact_match) == (2, 0.5, 0.5, 0.5)


@given(*[st.lists(st.sampled_from("abc"), min_size=1, max_size=9).map(" ".join)] * 2)
def test_rouge_l_equals_rouge_score(answer, reference):
    expected = RougeScorer(["rougeL"]).score(reference, answer)["rougeL"].fmeasure
    assert utility([answer], [reference]).rouge_l == pytest.approx(expected)


@pytest.mark.parametrize(("answers", "references"), [([], []), (["a"], ["a", "b"])])
def test_nothing_to_compare_is_an_error(answers, references):
    with pytest.raises(InputError, match="cannot be compared"):
        utility(answers, references)


def test_agreement_looks_for_the_first_of_the_reference_in_the_top_k():
    reference = [["a", "b"], ["c"], ["d"], []]
    other = [["b", "a"], ["a", "b", "c"], ["x"], ["y"]]
    assert agreement(reference, other, 2).successes == 1
    assert agreement(reference, other, 3).successes == 2
    assert agreement(reference, other, 3).trials == 4
    with pytest.raises(InputError, match="cannot be compared"):
        agreement([], [], 3)
