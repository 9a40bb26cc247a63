"""What the tagger reads of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.minilm.base import base_tokenizer
from sage_rag.privacy.recognizers.tagging.pieces import FEATURES, Pieces, pieces_of

LOWER, CAPITALISED, UPPER, MIXED, NUMBER, WITH_DIGITS, SIGN, INITIAL = 1, 2, 3, 4, 5, 6, 7, 9
GIVEN, SURNAME, PLACE, GREAT_PLACE, DRUG, WORD = (1 << bit for bit in range(6))


def pieces(text: str) -> Pieces:
    return pieces_of(text, base_tokenizer())


def feature(text: str, word: str, column: int) -> int:
    found, start = pieces(text), text.index(word)
    return next(
        int(found.features[i, column]) for i, (s, _) in enumerate(found.offsets) if s == start
    )


@pytest.mark.parametrize(
    ("text", "word", "shape"),
    [
        ("maria called", "maria", LOWER),
        ("Maria called", "Maria", CAPITALISED),
        ("MARIA CALLED", "MARIA", UPPER),
        ("McDonald called", "McDonald", MIXED),
        ("born in 1980", "1980", NUMBER),
        ("ward 4b", "4b", WITH_DIGITS),
        ("stop.", ".", SIGN),
        ("Mr K called", "K", INITIAL),
    ],
)
def test_the_shape_of_a_word_is_read_though_the_vocabulary_is_uncased(
    text: str, word: str, shape: int
) -> None:
    assert feature(text, word, 0) == shape


def test_a_word_brings_what_the_lexicon_knows_of_it() -> None:
    assert feature("Maria called", "Maria", 1) & GIVEN
    assert feature("in Germany", "Germany", 1) & GREAT_PLACE
    assert feature("took ramipril", "ramipril", 1) & DRUG
    assert feature("the table", "table", 1) & WORD
    assert feature("walking home", "walking", 1) & WORD, "inflected"
    assert feature("Xqzzywurr called", "Xqzzywurr", 1) == 0


@pytest.mark.parametrize(
    ("text", "word", "gap"),
    [
        ("a Maria", "Maria", 1),
        ("a\nMaria", "Maria", 2),
        ("Maria", "Maria", 2),
        ("@Maria", "Maria", 3),
    ],
)
def test_what_stands_before_a_word_is_read(text: str, word: str, gap: int) -> None:
    assert feature(text, word, 2) == gap


@pytest.mark.parametrize(
    ("text", "case"),
    [("12", 0), ("no capitals here", 1), ("MOSTLY CAPITALS", 2), ("Some of both", 3)],
)
def test_the_case_of_the_whole_text_is_read(text: str, case: int) -> None:
    assert set(pieces(text).features[:, 3].tolist()) == {case}


@given(st.text(max_size=200))
def test_pieces_of_any_text_stay_in_bounds_and_in_order(text: str) -> None:
    found = pieces(text)
    assert len(found.ids) == len(found.features) == len(found.words) == len(found)
    for column, size in enumerate(FEATURES):
        assert all(0 <= value < size for value in found.features[:, column])
    assert all(0 <= start <= end <= len(text) for start, end in found.offsets)
    assert found.words == sorted(found.words)


def test_lone_surrogates_are_read() -> None:
    assert pieces("Maria \ud800 called").offsets == [(0, 5), (8, 14)]


def test_capitalised_words_that_no_lexicon_lists_are_told() -> None:
    found = pieces("Xqzzywurr met Rose")
    assert {found.words[i] for i, hit in enumerate(found.unlisted) if hit} == {0}
    assert not pieces("xqzzywurr met rose").unlisted.any()
    assert not pieces("XQZZYWURR MET ROSE").unlisted.any()


def test_a_number_between_chinese_characters_is_a_word_of_its_own() -> None:
    text = "电话13812345678号, Anna"
    found = pieces(text)
    words: dict[int, str] = {}
    for (start, end), word in zip(found.offsets, found.words, strict=True):
        words[word] = words.get(word, "") + text[start:end]
    assert list(words.values()) == ["电话", "13812345678", "号", ",", "Anna"]
