from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.unicode_text import well_formed
from sage_rag.privacy.recognizers.word_borders import at_word_borders, extended_to_words, same_word


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("a", "b", True), ("a", "1", True), ("a", " ", False), ("a", "-", False), ("'", "s", False),
        ("张", "伟", False), ("a", "张", False), ("김", "은", False), ("ก", "ข", False),
        ("e", "\u0301", True), ("\u0301", "e", True), ("🙂", "a", False), ("ש", "ל", True),
    ],
)  # fmt: skip
def test_letters_join_into_words(left: str, right: str, expected: bool) -> None:
    assert same_word(left, right) is expected


@given(st.text(min_size=1, max_size=40), st.data())
def test_grown_ranges_end_at_borders_and_keep_what_they_held(
    text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    grown = extended_to_words(text, start, end)
    assert grown[0] <= start < end <= grown[1]
    assert at_word_borders(text, *grown)


@given(st.text(alphabet=st.characters(categories=["Cs", "L", "So"])))
def test_well_formed_text_encodes_and_keeps_offsets(text: str) -> None:
    mended = well_formed(text)
    mended.encode("utf-8")
    assert len(mended) == len(text)
    assert all(a == b or "\ud800" <= a <= "\udfff" for a, b in zip(text, mended, strict=True))
