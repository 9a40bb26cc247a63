"""The comparison of both indexes in the demo."""

from sage_rag.eval.demo.comparison import ComparisonRow


def test_a_count_in_the_whole_index_has_no_interval():
    asked = ComparisonRow("prompts", 80, 0, 80)
    counted = ComparisonRow("contact details in the whole index", 65, 0, 65, whole=True)
    assert str(asked.ours_bound) == "0 of 80 (95 %: at most 3.7 %)"
    assert str(counted.ours_bound) == "0 of 65"
