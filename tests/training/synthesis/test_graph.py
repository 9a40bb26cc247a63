"""The entity graph and its tuples."""

from __future__ import annotations

import math
from itertools import combinations
from random import Random

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.training.synthesis import graph as module
from sage_rag.training.synthesis.graph import (
    entity_graph,
    strongest_neighbours,
    unweighted_tuples,
    weighted_tuples,
)

NAMES = "abcdef"


def order(seed: int = 0) -> Random:
    return Random(seed)  # noqa: S311 - not a secret


def star() -> nx.Graph[str]:
    return entity_graph("abcd", {("a", "b"): 0.7, ("a", "c"): 0.9, ("a", "d"): 0.5})


@st.composite
def graphs(draw: st.DrawFn) -> nx.Graph[str]:
    scores = {pair: draw(st.floats(0, 1)) for pair in combinations(NAMES, 2)}
    return entity_graph(NAMES, scores)


def test_edges_under_one_half_are_dropped() -> None:
    graph = entity_graph("abc", {("a", "b"): 0.5, ("b", "c"): 0.49})
    assert list(graph.edges(data="weight")) == [("a", "b", 0.5)]
    assert list(graph) == ["a", "b", "c"]


@pytest.mark.parametrize("score", [1.01, -0.1, math.nan])
def test_a_score_outside_of_the_unit_interval_is_refused(score: float) -> None:
    with pytest.raises(InputError, match="not in"):
        entity_graph("ab", {("a", "b"): score})


@pytest.mark.parametrize("pair", [("a", "a"), ("a", "z")])
def test_an_edge_has_two_known_ends(pair: tuple[str, str]) -> None:
    with pytest.raises(InputError, match="not two entities"):
        entity_graph("ab", {pair: 0.9})


def test_the_strongest_neighbours_come_first() -> None:
    assert strongest_neighbours(star(), "a", 2) == ["c", "b"]


def test_a_tuple_is_an_entity_and_its_strongest_neighbours() -> None:
    assert weighted_tuples(star(), 3) == [("a", "c", "b"), ("b", "a"), ("c", "a"), ("d", "a")]
    assert weighted_tuples(star(), 2) == [("a", "c"), ("b", "a"), ("d", "a")]


@given(graphs(), st.integers(2, 10))
def test_weighted_tuples(graph: nx.Graph[str], k: int) -> None:
    found = weighted_tuples(graph, k)
    assert {member for members in found for member in members} == set(NAMES)
    assert len({frozenset(members) for members in found}) == len(found)
    for first, *others in found:
        assert len(others) == min(k - 1, len(graph[first]))
        weights = [graph[first][other]["weight"] for other in others]
        assert weights == sorted(weights, reverse=True)
        left = [graph[first][n]["weight"] for n in graph[first] if n not in others]
        assert not weights or max(left, default=0) <= weights[-1]


@given(st.integers(1, 7), st.integers(2, 10), st.integers())
def test_unweighted_tuples_are_all_pairs_and_triples_in_turn(size: int, k: int, seed: int) -> None:
    found = list(unweighted_tuples("abcdefg"[:size], k, order(seed)))
    assert found == list(unweighted_tuples("abcdefg"[:size], k, order(seed)))
    triples = math.comb(size, 3) if k >= 3 else 0
    assert len(found) == (math.comb(size, 2) + triples or size % 2)
    assert len({frozenset(members) for members in found}) == len(found)
    sizes = [len(members) for members in found]
    both = 2 * min(sizes.count(2), sizes.count(3))
    assert sizes[:both] == [2, 3] * (both // 2)


def test_many_tuples_are_drawn_without_repetition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_TUPLES", 50)
    found = list(unweighted_tuples([str(n) for n in range(400)], 3, order()))
    assert 80 <= len(found) <= 100
    assert all(len(set(members)) == len(members) for members in found)
    assert len({frozenset(members) for members in found}) == len(found)


@pytest.mark.parametrize("k", [1, 11])
def test_a_tuple_has_two_to_ten_entities(k: int) -> None:
    with pytest.raises(InputError, match="2 to 10"):
        weighted_tuples(star(), k)
    with pytest.raises(InputError, match="2 to 10"):
        list(unweighted_tuples("ab", k, order()))
