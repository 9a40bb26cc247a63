from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.sentences import sentence_spans
from sage_rag.indexer.chunking import chunk_spans
from tests.growth import LINEAR, growth


def chunks(text, max_chars):
    return [text[start:end] for start, end in chunk_spans(text, max_chars)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n ", []),
        ("One. Two. Three.", ["One. Two.", "Three."]),
        ("One.\n\nTwo. Three.", ["One.\n\nTwo.", "Three."]),
        ("Short. A sentence of many words.", ["Short.", "A sentence", "of many", "words."]),
        ("abcdefghijklmnop", ["abcdefghijk", "lmnop"]),
        ("abcdefghijk lmnop", ["abcdefghijk", "lmnop"]),
        ("患者发热。今日就诊。复查。", ["患者发热。今日就诊。", "复查。"]),
    ],
)
def test_whole_sentences_fill_a_chunk(text, expected):
    assert chunks(text, 11) == expected


TEXTS = st.text(alphabet="ab.!? \n。é", max_size=200)


@given(TEXTS, st.integers(1, 40))
def test_nothing_is_lost_and_no_chunk_is_too_long(text, max_chars):
    assert "".join("".join(chunks(text, max_chars)).split()) == "".join(text.split())
    assert all(
        0 < len(chunk) <= max_chars and chunk == chunk.strip() for chunk in chunks(text, max_chars)
    )


@given(TEXTS, st.integers(1, 40))
def test_only_a_sentence_longer_than_a_chunk_is_cut(text, max_chars):
    borders = {place for span in chunk_spans(text, max_chars) for place in span}
    for start, end in sentence_spans(text):
        if end - start <= max_chars:
            assert not any(start < place < end for place in borders)


@given(TEXTS, st.integers(1, 40))
def test_a_chunk_takes_as_many_sentences_as_fit(text, max_chars):
    spans = chunk_spans(text, max_chars)
    sentences = sentence_spans(text)
    for (start, _), (following, _) in pairwise(spans):
        first = next((s for s in sentences if s[0] == following), None)
        if first:
            assert first[1] - start > max_chars


def test_a_sentence_without_an_end_is_cut_in_linear_time():
    assert growth(lambda size: chunk_spans("word " * size, 11), 20_000) < LINEAR
