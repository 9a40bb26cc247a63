"""The page of graphs."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

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
