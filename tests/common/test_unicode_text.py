import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.unicode_text import SurrogateJoiner, well_formed

PIECES = st.lists(st.text(st.sampled_from("aé\ud83d\ude00\udc00😀"), max_size=3), max_size=8)


def joined(pieces: list[str]) -> str:
    joiner = SurrogateJoiner()
    return "".join(map(joiner.feed, pieces)) + joiner.flush()


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        (["A \ud83d", "\ude00 B"], "A 😀 B"),
        (["A \ud83d", "", "\ude00 B"], "A 😀 B"),
        (["A \ud83d", "B"], "A \ufffdB"),
        (["A \ud83d"], "A \ufffd"),
        (["\ude00 B"], "\ufffd B"),
        (["\ud83d", "\ud83d", "\ude00"], "\ufffd😀"),
    ],
)
def test_halves_in_different_pieces_are_one_character(pieces, whole):
    assert joined(pieces) == whole


@given(PIECES)
def test_a_joined_text_is_well_formed_wherever_it_was_cut(pieces):
    text = joined(pieces)
    assert text == well_formed(text) == joined(["".join(pieces)])
