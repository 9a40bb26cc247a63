"""Common subsequences against dynamic programming."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.gate.subsequences import Reference, longest_common_subsequence

TOKENS = st.lists(st.sampled_from("a b c d ab ba".split()), max_size=25)


def common_subsequence_by_table(a: list[str], b: list[str]) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        previous = 0
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], previous + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


@given(TOKENS, TOKENS)
def test_common_subsequence_agrees_with_dynamic_programming(a: list[str], b: list[str]) -> None:
    assert longest_common_subsequence(a, b) == common_subsequence_by_table(a, b)


def occurs_in_order(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(token in rest for token in part)


@given(TOKENS, TOKENS)
def test_what_one_other_matches_is_a_longest_common_subsequence(
    reference: list[str], other: list[str]
) -> None:
    matched = Reference(reference).matched([other])
    assert len(matched) == longest_common_subsequence(reference, other)
    assert occurs_in_order(matched, reference)
    assert occurs_in_order(matched, other)


@given(TOKENS, st.lists(TOKENS, max_size=4))
def test_what_several_match_is_the_union(reference: list[str], others: list[list[str]]) -> None:
    together = Reference(reference).matched(others)
    each = [Reference(reference).matched([other]) for other in others]
    assert occurs_in_order(together, reference)
    assert all(occurs_in_order(alone, together) for alone in each)
    assert max(map(len, each), default=0) <= len(together) <= sum(map(len, each))
