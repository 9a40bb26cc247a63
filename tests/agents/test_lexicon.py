import pytest

from sage_rag.agents.lexicon import is_boilerplate
from tests.growth import LINEAR, growth


@pytest.mark.parametrize(
    ("sentence", "boilerplate"),
    [
        ("Thank you for posting your question here", True),
        ("Wish you good health", True),
        ("Feel free to write again", True),
        ("Thanks to the tablets I sleep again", False),
        ("Take care of the wound with warm water and soap twice a day", False),
        ("I wish to stop the tablets", False),
        ("The best position is on your side", False),
    ],
)
def test_boilerplate_is_told_from_matter(sentence, boilerplate):
    assert is_boilerplate(sentence) is boilerplate


def test_a_line_of_marks_is_read_in_linear_time():
    for mark in ("*", "* ", ".", "ok. ", "hi *"):
        assert growth(lambda size, mark=mark: is_boilerplate(f"{mark * size}x"), 500) < LINEAR
