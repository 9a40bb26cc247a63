import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.eval.studies.retrieval.results import ndcg, reciprocal_rank


def test_a_relevant_passage_counts_by_its_rank():
    assert ndcg(["a", "b", "c"], {"a"}) == 1
    assert ndcg(["b", "a", "c"], {"a"}) == pytest.approx(1 / math.log2(3))
    assert reciprocal_rank(["b", "c", "a"], {"a", "x"}) == pytest.approx(1 / 3)


def test_ranks_after_the_tenth_and_nothing_relevant_count_nothing():
    ranked = [str(i) for i in range(20)]
    assert ndcg(ranked, {"10"}) == reciprocal_rank(ranked, {"10"}) == 0
    assert ndcg(ranked, set()) == reciprocal_rank(ranked, set()) == 0


@given(st.permutations(range(14)), st.sets(st.integers(0, 13), min_size=1))
def test_the_best_order_has_one_and_every_order_at_most_that(order, relevant):
    ranked = [str(i) for i in order]
    wanted = {str(i) for i in relevant}
    assert 0 <= ndcg(ranked, wanted) <= 1 + 1e-9
    assert ndcg(sorted(ranked, key=lambda i: i not in wanted), wanted) == pytest.approx(1)
