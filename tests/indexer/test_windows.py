"""Long texts cut into windows."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from sage_rag.indexer.windows import windows


def in_letters(texts: Sequence[str]) -> list[int]:
    """Count as a tokenizer might that reads no blank space: a piece for every two letters."""
    return [sum(-(-len(word) // 2) for word in text.split()) for text in texts]


def cut(text: str, limit: int) -> list[str]:
    (own,) = windows([text], limit, in_letters)
    assert [window.pieces for window in own] == in_letters([window.text for window in own])
    return [window.text for window in own]


@given(st.text("abc \n我", max_size=400), st.integers(1, 20))
def test_every_word_piece_stands_in_one_window_and_none_is_over_the_limit(
    text: str, limit: int
) -> None:
    found = cut(text, limit)
    assert sorted("".join(found)) == sorted(text)
    assert all(pieces <= limit for pieces in in_letters(found))


@given(st.lists(st.text("ab ", max_size=40), max_size=5))
def test_texts_within_the_limit_are_left_alone(texts: list[str]) -> None:
    assert [[w.text for w in own] for own in windows(texts, 20, in_letters)] == [
        [text] for text in texts
    ]


def test_windows_are_about_equal_and_begin_with_words() -> None:
    text = " ".join(["word"] * 150)  # 300 pieces
    found = cut(text, 200)
    assert [len(part.split()) for part in found] == [74, 76]
    assert cut("x" * 30, 10) == ["x" * 15, "x" * 15]  # no white space to cut at


def test_a_huge_text_is_cut_before_its_pieces_are_counted() -> None:
    longest = 0

    def count(texts: Sequence[str]) -> list[int]:
        nonlocal longest
        longest = max(longest, *map(len, texts))
        return in_letters(texts)

    ((*own,),) = windows(["word " * 100_000], 250, count)
    assert longest <= 64 * 250
    assert 800 <= len(own) <= 900
    assert sum(window.pieces for window in own) == 200_000
