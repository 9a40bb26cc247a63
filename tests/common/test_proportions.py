import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.proportions import Proportion


@pytest.mark.parametrize(
    ("successes", "trials", "written"),
    [
        (0, 250, "0 of 250 (95 %: at most 1.2 %)"),
        (0, 20, "0 of 20 (95 %: at most 13.9 %)"),
        (0, 1, "0 of 1 (95 %: at most 95.0 %)"),
        (67, 250, "67 of 250 (26.8 %, 95 %: 21.4 to 32.7 %)"),
        (20, 20, "20 of 20 (95 %: at least 86.1 %)"),
        (0, 0, "0 of 0 (nothing measured)"),
    ],
)
def test_counts_are_written_with_their_exact_bounds(successes, trials, written):
    assert str(Proportion.of(successes, trials)) == written


@pytest.mark.slow
@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(1, n), st.just(n))))
def test_two_sided_bounds_agree_with_scipy(case):
    from scipy.stats import binomtest  # loads for a second

    successes, trials = case
    found = Proportion.of(successes, trials)
    if successes < trials:
        expected = binomtest(successes, trials).proportion_ci(0.95, method="exact")
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    else:
        expected = binomtest(successes, trials, alternative="greater").proportion_ci(0.95, "exact")
        assert (found.low, found.high) == pytest.approx((expected.low, 1.0))


@pytest.mark.slow
@given(st.integers(1, 2000))
def test_zero_has_the_one_sided_upper_bound(trials):
    from scipy.stats import binomtest

    expected = binomtest(0, trials, alternative="less").proportion_ci(0.95, "exact")
    assert Proportion.of(0, trials).high == pytest.approx(expected.high)


@pytest.mark.parametrize(("successes", "trials"), [(-1, 5), (6, 5), (1, 0)])
def test_impossible_counts_are_refused(successes, trials):
    with pytest.raises(ValueError, match="not a proportion"):
        Proportion.of(successes, trials)


def test_a_bound_near_certainty_is_told_from_it():
    assert str(Proportion.of(231_003, 231_003)).endswith("at least 99.999 %)")
    assert str(Proportion.of(0, 231_003)).endswith("at most 0.001 %)")
