"""The weighted graph of a document's entities, and the tuples that are enumerated from it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, zip_longest
from random import Random

import networkx as nx

from sage_rag.common.exceptions import InputError

THRESHOLD = 0.5
"""Weaker edges are dropped. Source: Liu et al. (2025), SoE, §4.2."""
MAX_MEMBERS = 10
"""Entities of the longest tuple. Source: SoE, Table 1."""

Pair = tuple[str, str]
Scores = Mapping[Pair, float]
"""Association in [0, 1] of two entities; a pair is listed once, in either order."""

_MOST_TUPLES = 100_000
"""Tuples that are drawn from all pairs and triples of one document, at most."""


def entity_graph(
    entities: Sequence[str], scores: Scores, *, threshold: float = THRESHOLD
) -> nx.Graph[str]:
    """Return the graph of entities with an edge, of attribute `weight`, for each strong pair.

    Edges of a weight below `threshold` are left out; every entity is a node.

    Raises:
        InputError: for a score outside of [0, 1], or an entity that is not listed.
    """
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(entities)
    for (first, second), score in scores.items():
        if not 0 <= score <= 1:
            raise InputError(f"the association of {first} and {second} is not in [0, 1]")
        if first == second or first not in graph or second not in graph:
            raise InputError(f"{first} and {second} are not two entities of the document")
        if score >= threshold:
            graph.add_edge(first, second, weight=float(score))
    return graph


def strongest_neighbours(graph: nx.Graph[str], entity: str, count: int) -> list[str]:
    """Return up to `count` neighbours, the strongest first; ties in the order of the nodes."""
    order = {node: number for number, node in enumerate(graph)}
    edges = graph[entity]
    return sorted(edges, key=lambda other: (-edges[other]["weight"], order[other]))[:count]


def weighted_tuples(graph: nx.Graph[str], k: int) -> list[tuple[str, ...]]:
    """Return, for each entity, the entity and its `k - 1` strongest neighbours.

    An entity with fewer neighbours gives a shorter tuple, at least itself. Of tuples with the same
    members the first is kept.

    Source: Liu et al. (2025), SoE, §3.3.

    Raises:
        InputError: for a `k` below 2 or above 10.
    """
    _check(k)
    found: dict[frozenset[str], tuple[str, ...]] = {}
    for entity in graph:
        members = (entity, *strongest_neighbours(graph, entity, k - 1))
        found.setdefault(frozenset(members), members)
    return list(found.values())


def unweighted_tuples(entities: Sequence[str], k: int, draw: Random) -> Iterator[tuple[str, ...]]:
    """Yield all pairs and, where `k` is 3 or more, all triples, each size in random order.

    A pair and a triple take turns, so that a small budget has both. Of a document with very many
    entities it yields at most 100,000 of each size, none twice.

    Source: Yang et al. (2024), EntiGraph, arXiv 2409.07431, §2.2: all pairs, and triples.

    Raises:
        InputError: for a `k` below 2 or above 10.
    """
    _check(k)
    if len(entities) == 1:
        yield (entities[0],)
    sizes = (2, 3) if k >= 3 else (2,)
    drawn = [_drawn(entities, size, draw) for size in sizes]
    yield from (found for turn in zip_longest(*drawn) for found in turn if found is not None)


def _drawn(entities: Sequence[str], size: int, draw: Random) -> Iterator[tuple[str, ...]]:
    """Yield combinations in random order; the members of each one in random order, too."""
    total = math.comb(len(entities), size)
    if total <= _MOST_TUPLES:
        found = [list(c) for c in combinations(entities, size)]
        draw.shuffle(found)
    else:
        drawn = (draw.sample(range(len(entities)), size) for _ in range(_MOST_TUPLES))
        numbers = {tuple(sorted(number)) for number in drawn}
        found = [[entities[number] for number in chosen] for chosen in sorted(numbers)]
        draw.shuffle(found)
    for members in found:
        draw.shuffle(members)
        yield tuple(members)


def _check(k: int) -> None:
    if not 2 <= k <= MAX_MEMBERS:
        raise InputError(f"a tuple has 2 to {MAX_MEMBERS} entities, not {k}")
