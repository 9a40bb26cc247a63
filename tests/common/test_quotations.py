"""Sentences that are quoted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.quotations import in_quotation, unquoted


@pytest.mark.parametrize(
    ("sentences", "quoted"),
    [
        (["He said: “Go.", "Do not come back.", "It could hurt.” He left.", "Fine."], "0110"),
        (["“Rest.", "Drink.” said he.", "Fine."], "110"),
        (["We expect steps.", "We believe in peace.’’", "Then it ended."], "110"),
        (["Fine.", "He wrote: „Come.", "At once.“", "Fine."], "0010"),
        (["Fine.", "He wrote: “Come.", "At once."], "001"),
        (['He wrote "take it', 'twice".', "Fine."], "010"),
        (['He wrote: "take it.', "Fine."], "00"),
        (['"Why?" he asked.', '"I am late."', '"Go now.', "Run."], "0111"),
        (["“Rest well,” she said.", "The board (“the Board”) met.", "Fine."], "000"),
        (["It fell.", '"I saw it."', '"Me too," he said.', "“No!”", "Fine."], "01010"),
        (["We want steps.", "The “chair” slept.", "We want peace.’’", "It ended."], "1110"),
        (["Fine.", "He asked.", '"Rest now.', 'Drink. "', "Fine."], "00110"),
        (["We want steps.", "We want peace.’’"], "11"),
        (["“It hurts.", "What shall I do?”"], "00"),
        (['The pipe is 5" wide.', "It leaks.", 'The other is 6".'], "000"),
        ([], ""),
    ],
)
def test_quoted_sentences(sentences: list[str], quoted: str) -> None:
    assert in_quotation(sentences) == [sign == "1" for sign in quoted]


@pytest.mark.parametrize(
    ("sentence", "own"),
    [
        ('"Why?" he asked.', " he asked."),
        ("He asked: “Why?”", "He asked: "),
        ("He asked: “Why?", "He asked: "),
        ("Why?” he asked.", " he asked."),
        ('What is "rye"?', "What is ?"),
        ("Is the “Board” or the «Chair» here?", "Is the  or the  here?"),
        ('The pipe is 5" wide. Why?', 'The pipe is 5" wide. Why?'),
        ('He asked: "Why?', 'He asked: "Why?'),
        ("Why?", "Why?"),
        ('It hurts. "', 'It hurts. "'),
        ("", ""),
    ],
)
def test_the_words_of_a_sentence_that_are_not_quoted(sentence: str, own: str) -> None:
    assert unquoted(sentence) == own


@given(st.text(alphabet="ab 5.,?“”„«»‘’`'\"", max_size=20))
def test_what_is_not_quoted_is_part_of_the_sentence(sentence: str) -> None:
    rest = iter(sentence)
    assert all(character in rest for character in unquoted(sentence))


@given(st.lists(st.text(alphabet="ab 5.,“”„«»‘’`'\"", max_size=8), max_size=6))
def test_any_text_gets_one_answer_for_each_sentence(sentences: list[str]) -> None:
    found = in_quotation(sentences)
    assert len(found) == len(sentences)
    unmarked = [set(sentence).isdisjoint("“”„«»‘’`'\"") for sentence in sentences]
    assert not all(unmarked) or not any(found)
