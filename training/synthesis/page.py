"""The entity graphs of a run as one self-contained HTML page: drawings and lists of edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import networkx as nx
from jinja2 import Environment, StrictUndefined

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import write_file
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.training.synthesis.entities import EntityDocument

PAGE = "graphs.html"
DRAWN = 50
"""Documents on the page: more make it slow to open."""
_WIDTH, _HEIGHT, _MARGIN = 900, 520, 60
_LISTED = 30
_APART = 3
"""Distance of two entities without an edge; that of two with one is between 1 and 1.5."""
_MOST_SPREAD = 150
"""Entities that are spread in 0.3 s; the time grows with their square, and more."""


@dataclass(frozen=True)
class Node:
    """An entity: its placeholder, and what stands for it in samples."""

    name: str
    shown: str
    type: str


@dataclass(frozen=True)
class Edge:
    """An association of two entities by their placeholders."""

    first: str
    second: str
    weight: float


@dataclass(frozen=True)
class GraphView:
    """The graph of one document as the page shows it."""

    document: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    @property
    def stored(self) -> dict[str, Any]:
        """The view as JSON holds it."""
        return asdict(self)

    @classmethod
    def of(cls, stored: dict[str, Any]) -> GraphView:
        """Return a stored view."""
        nodes = tuple(Node(**node) for node in stored["nodes"])
        return cls(stored["document"], nodes, tuple(Edge(**edge) for edge in stored["edges"]))


@dataclass(frozen=True)
class Mark:
    """A node in a drawing, in pixels."""

    node: Node
    x: float
    y: float


@dataclass(frozen=True)
class Line:
    """An edge in a drawing: it is wider and darker the stronger it is."""

    edge: Edge
    start: Mark
    end: Mark

    @property
    def width(self) -> float:
        """Between 0.5 and 4 pixels."""
        return round(0.5 + 3.5 * self.edge.weight**3, 2)


def graph_view(
    document: EntityDocument, graph: nx.Graph[str], cipher: EntityCipher | None
) -> GraphView:
    """Return the view of a graph; encrypted entities are shown as tokens."""
    nodes = tuple(
        Node(name, entity.rendered(cipher), entity.entity_type)
        for name, entity in document.entities.items()
        if name in graph
    )
    edges = tuple(Edge(a, b, round(w, 3)) for a, b, w in graph.edges(data="weight"))
    return GraphView(document.id, nodes, edges)


def drawing(view: GraphView) -> tuple[list[Line], list[Mark]]:
    """Return the lines and marks of a drawing, always the same for one graph.

    Strongly associated entities are near each other. Source of the places: Kamada and Kawai (1989),
    as in networkx; a spring model draws the entities of one component on top of each other.
    """
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(node.name for node in view.nodes)
    graph.add_weighted_edges_from((e.first, e.second, e.weight) for e in view.edges)
    places = _places(graph)
    inner = (_WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN)
    marks = {
        node.name: Mark(
            node,
            *(
                round(_MARGIN + size * (place + 1) / 2, 1)
                for size, place in zip(inner, places[node.name], strict=True)
            ),
        )
        for node in view.nodes
    }
    lines = [Line(edge, marks[edge.first], marks[edge.second]) for edge in view.edges]
    return sorted(lines, key=lambda line: line.edge.weight), list(marks.values())


def _places(graph: nx.Graph[str]) -> Mapping[str, Sequence[float]]:
    """Return a place for each node in [-1, 1]²."""
    if len(graph) > _MOST_SPREAD:
        found: Mapping[str, Sequence[float]] = nx.spring_layout(graph, seed=0)
        return found
    distances = {
        a: {b: 2 - graph[a][b]["weight"] if graph.has_edge(a, b) else _APART for b in graph}
        for a in graph
    }
    spread: Mapping[str, Sequence[float]] = nx.kamada_kawai_layout(graph, dist=distances)
    return spread


def render(views: Sequence[GraphView], total: int) -> str:
    """Return the page: all its text is escaped, it loads nothing and runs no script."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    source = resources.files(__package__).joinpath("page.html.j2").read_text("utf-8")
    shown = [
        (view, *drawing(view), sorted(view.edges, key=lambda e: -e.weight)[:_LISTED])
        for view in views
    ]
    return environment.from_string(source).render(
        shown=shown, total=total, width=_WIDTH, height=_HEIGHT
    )


def write_page(folder: Path, views: Sequence[GraphView], total: int) -> None:
    """Write the page of some of `total` documents.

    Raises:
        InputError: when the disk or the folder does not take it.
    """
    try:
        write_file(folder / PAGE, render(views, total))
    except OSError as error:
        raise InputError(f"cannot write `{folder / PAGE}`: {error.strerror}") from None
