"""The page of graphs."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sage_rag.training.owner_folder import OWNER
from sage_rag.training.synthesis.page import PAGE, Edge, GraphView, Node, drawing, render
from tests.training.synthesis.job import run_job
from tests.training.synthesis.texts import VALUES


def test_the_page_draws_every_entity_and_holds_no_value(tmp_path: Path) -> None:
    run_job(tmp_path, count=2)
    page = (tmp_path / OWNER / PAGE).read_text("utf-8")
    drawn = [ElementTree.fromstring(s) for s in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]  # noqa: S314
    assert [len(svg.findall("circle")) for svg in drawn] == [6, 6]
    assert all(svg.findall("line") for svg in drawn)
    assert not any(value in page for value in VALUES)


def test_the_page_loads_nothing_and_escapes_its_text() -> None:
    node = Node("[PERSON_1]", "<script>alert(1)</script>", "PERSON")
    page = render([GraphView("<b>doc</b>", (node,), ())], 1)
    assert "<script" not in page
    assert "<b>doc" not in page
    assert "default-src 'none'" in page
    assert not re.search(r"https?://|src=|@import", page)


def test_a_drawing_is_always_the_same() -> None:
    nodes = tuple(Node(name, name, "PERSON") for name in "abc")
    view = GraphView("doc", nodes, (Edge("a", "b", 0.9), Edge("b", "c", 0.5)))
    assert drawing(view) == drawing(GraphView.of(view.stored))
    lines, marks = drawing(view)
    assert [line.edge.weight for line in lines] == [0.5, 0.9]
    assert all(0 <= mark.x <= 900 and 0 <= mark.y <= 520 for mark in marks)


def test_no_two_entities_of_a_document_are_drawn_on_top_of_each_other() -> None:
    names = [f"[PERSON_{number}]" for number in range(12)]
    nodes = tuple(Node(name, name, "PERSON") for name in names)
    groups = (names[:5], names[5:8], names[8:10])  # two more have no edge
    edges = tuple(Edge(*pair, 0.8) for group in groups for pair in combinations(group, 2))
    _, marks = drawing(GraphView("doc", nodes, edges))
    assert len(marks) == 12
    for one, other in combinations(marks, 2):
        assert abs(one.x - other.x) > 80 or abs(one.y - other.y) > 14  # sizes of a label


@pytest.mark.parametrize("count", [0, 1, 2, 151])
def test_a_document_with_any_number_of_entities_is_drawn(count: int) -> None:
    nodes = tuple(Node(str(number), str(number), "PERSON") for number in range(count))
    lines, marks = drawing(GraphView("doc", nodes, ()))
    assert lines == []
    assert len({(mark.x, mark.y) for mark in marks}) == count
