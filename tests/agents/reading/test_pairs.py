"""Pairs: what the network reads of a question and a text."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.agents.reading.pairs import QUESTION_PIECES, TEXT_PIECES, pair_of, windows_of
from sage_rag.common.minilm.base import SEP, word_pieces

TEXT = "The kettle boils at 95 degrees. Its lid stays open."


def test_a_pair_has_question_mark_and_text() -> None:
    pair = pair_of("How hot is the kettle?", TEXT)
    question, text = word_pieces("How hot is the kettle?"), word_pieces(TEXT)
    assert pair.row[0].tolist() == [*question, SEP, *text]
    assert pair.first == len(question) + 2, "after the start mark, the question and its end"
    assert pair.row[1][:, 0].tolist() == [0] * (len(question) + 1) + [1] * len(text)


def test_shared_words_are_marked_by_their_stem_and_stop_words_are_not() -> None:
    pair = pair_of("How hot is the kettle that boiled?", TEXT)
    text = [TEXT[start:end] for start, end in pair.offsets]
    marked = [
        piece for piece, mark in zip(text, pair.row[1][-len(text) :, 1], strict=True) if mark == 2
    ]
    assert "".join(marked) == "kettleboils"


def test_the_places_of_a_stretch_are_those_of_its_pieces() -> None:
    pair = pair_of("How hot?", TEXT)
    start = TEXT.index("95 degrees")
    first, last = pair.places(start, start + len("95 degrees")) or (0, 0)
    shown = TEXT[pair.offsets[first - pair.first][0] : pair.offsets[last - pair.first][1]]
    assert shown == "95 degrees"
    assert pair.places(len(TEXT) + 5, len(TEXT) + 9) is None


def test_of_a_long_question_the_end_is_read() -> None:
    pair = pair_of("word " * 500 + "how hot is it", TEXT)
    assert pair.first == QUESTION_PIECES + 2
    assert pair.row[0][QUESTION_PIECES - 1] == word_pieces("it")[0]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("ab c.\n!", max_size=300), max_size=12).map(". ".join))
def test_windows_cover_every_sentence_and_share_one(text: str) -> None:
    windows = windows_of(text)
    assert bool(windows) == bool(text.strip())
    if windows:
        assert not text[: windows[0][0]].strip()
        assert not text[windows[-1][1] :].strip()
    for (start, end), (later, later_end) in pairwise(windows):
        assert start < later
        assert end < later_end
        assert later <= end or not text[end:later].strip(), "nothing between two windows is lost"


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=2000), st.text(max_size=2000))
def test_any_texts_fit_the_network(question: str, text: str) -> None:
    pair = pair_of(question, text)
    assert len(pair) + 2 <= QUESTION_PIECES + TEXT_PIECES + 3
    assert len(pair.row[0]) == len(pair.row[1])
