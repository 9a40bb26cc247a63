"""Membership scores with known answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from sage_rag.common.exceptions import InputError
from sage_rag.eval.membership import Membership

SCORES = st.lists(st.integers(0, 9).map(float), min_size=1, max_size=30)


@given(SCORES, SCORES)
def test_the_area_is_that_of_scikit_learn(members, others):
    labels = [1] * len(members) + [0] * len(others)
    found = Membership.of(members, others)
    assert found.auc == pytest.approx(roc_auc_score(labels, [*members, *others]), abs=1e-4)
    assert 0 <= found.low <= found.high <= 1


@pytest.mark.parametrize(
    ("others", "detected"),
    [
        ([0.0] * 99 + [5.0], 3),  # one of a hundred may reach a member's score
        ([0.0] * 98 + [5.0, 5.0], 0),
        ([0.0] * 99 + [9.0], 3),
        ([0.0] * 98 + [9.0, 9.0], 0),
        ([0.0] * 50, 3),
        ([0.0] * 49 + [9.0], 0),  # one of fifty is over 1 %
    ],
)
def test_members_are_detected_at_one_false_alarm_in_a_hundred(others, detected):
    found = Membership.of([5.0, 5.0, 5.0, -1.0], others)
    assert found.detected.successes == detected


@pytest.mark.parametrize(("members", "others"), [([], [1.0]), ([1.0], [])])
def test_membership_needs_both_kinds_of_records(members, others):
    with pytest.raises(InputError):
        Membership.of(members, others)


@pytest.mark.parametrize(
    ("members", "others", "interval"),
    [
        ([5.0, 6.0], [1.0, 2.0, 3.0, 4.0], (0.2236, 1.0)),  # 0.05 ** (1 / 2)
        ([1.0], [5.0, 6.0, 7.0], (0.0, 0.95)),
        ([5.0] * 500, [1.0] * 100, (0.9705, 1.0)),
    ],
)
def test_scores_that_separate_all_records_have_an_interval_of_some_width(members, others, interval):
    found = Membership.of(members, others)
    assert found.auc in (0, 1)
    assert (found.low, found.high) == interval
