"""The plot as SVG."""

from xml.etree import ElementTree as Tree

from sage_rag.eval.studies.plot import Point, scatter

SERIES = {
    "k = 2": [Point(0.6, 1.0, "4"), Point(0.5, 0.9, "8")],
    "k < 5 & more": [Point(0.55, 0.8, "4")],
}
_SVG = "{http://www.w3.org/2000/svg}"


def circles():
    return Tree.fromstring(scatter(SERIES, "AUC", "F1")).iter(f"{_SVG}circle")  # noqa: S314


def test_every_point_is_drawn_with_its_figures():
    titles = [circle.find(f"{_SVG}title").text for circle in circles()]
    assert titles[0] == "k = 2, 4: 0.600, 1.000"
    assert titles[2] == "k < 5 & more, 4: 0.550, 0.800"


def test_more_is_to_the_right_and_above():
    first, second, third = ((float(c.get("cx")), float(c.get("cy"))) for c in circles())
    assert second[0] < third[0] < first[0]
    assert first[1] < second[1] < third[1]


def test_a_single_point_is_drawn():
    assert scatter({"one": [Point(0.5, 0.5, "8")]}, "x", "y").count("<circle") == 1
