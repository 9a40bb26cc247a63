import math

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.utility import agreement, bleu_1, strip_citations


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
