"""Recipes: which tuples of a document's entities are written about, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from random import Random

import networkx as nx

from sage_rag.training.synthesis.graph import unweighted_tuples, weighted_tuples
from sage_rag.training.synthesis.samples import Kind
from sage_rag.training.synthesis.writing import Request

VERSION = 2
"""Raised with every change of the requests for the same graph."""


class Recipe(StrEnum):
    """A method of choosing tuples.

    `SOE`: an entity and its k - 1 strongest neighbours in the weighted graph. Source: Liu et al.
    (2025), SoE, §3.3. `ENTIGRAPH`: all pairs and triples. Source: Yang et al. (2024), EntiGraph,
    arXiv 2409.07431, §2.2.
    """

    SOE = "soe"
    ENTIGRAPH = "entigraph"


_ALONE = (Kind.DESCRIPTION, Kind.QUESTION)
"""Kinds of a tuple of one entity: it has no relation."""


def tuples_of(recipe: Recipe, graph: nx.Graph[str], k: int, seed: str) -> list[tuple[str, ...]]:
    """Return the tuples of a recipe in random order, for EntiGraph pairs and triples in turn.

    Raises:
        InputError: for a `k` below 2 or above 10.
    """
    draw = Random(seed)  # noqa: S311 - an order, not a secret
    if recipe is Recipe.ENTIGRAPH:
        return list(unweighted_tuples(list(graph), k, draw))
    found = weighted_tuples(graph, k)
    draw.shuffle(found)
    return found


def requests_of(
    tuples: Sequence[tuple[str, ...]], kinds: Sequence[Kind], seed: str, turn: int
) -> Iterator[Request]:
    """Yield one request for each tuple: the round of number `turn`, from 0.

    The kind of a tuple changes with every round, so that all kinds occur about equally often.
    """
    for place, members in enumerate(tuples):
        fitting = [kind for kind in kinds if len(members) > 1 or kind in _ALONE]
        if fitting:
            kind = fitting[(place + turn) % len(fitting)]
            yield Request(members, kind, f"{seed}/{turn}/{place}")
