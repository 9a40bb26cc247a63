from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.eval.model_attacks.suffix_array import WordSuffixArray, words_of

TEXTS = st.lists(st.lists(st.sampled_from("abc"), max_size=12).map(" ".join), max_size=4)


def brute_force(texts: list[str], query: str, length: int) -> list[str]:
    """Return the first windows of maximal sequences of windows that occur in a text."""
    known = {
        tuple(words[i : i + length])
        for words in map(words_of, texts)
        for i in range(len(words) - length + 1)
    }
    words = words_of(query)
    windows = [tuple(words[i : i + length]) for i in range(len(words) - length + 1)]
    return [
        " ".join(window)
        for i, window in enumerate(windows)
        if window in known and (i == 0 or windows[i - 1] not in known)
    ]


@given(TEXTS, st.lists(TEXTS.map(" d ".join), min_size=1, max_size=3), st.integers(1, 7))
def test_it_finds_what_a_comparison_of_all_windows_finds(texts, queries, length) -> None:
    if not any(map(words_of, texts)):
        with pytest.raises(InputError, match="no words"):
            WordSuffixArray(texts, length)
        return
    array = WordSuffixArray(texts, length)
    assert array.runs_in(queries) == [brute_force(texts, query, length) for query in queries]


def test_every_run_is_found_where_many_begin_alike() -> None:
    """With 2,100 words in all, a suffix is sorted by five words, then by 10, 20 and 40."""
    drawn = random.Random(0)  # noqa: S311
    words = drawn.choices("ab", k=3000)
    array = WordSuffixArray([" ".join(words), " ".join(f"w{i}" for i in range(2100))])
    windows = [" ".join(words[i : i + 35]) for i in range(len(words) - 34)]
    assert array.runs_in(windows) == [[window] for window in windows]


def test_a_long_text_is_read_in_pieces_without_losing_or_cutting_a_word() -> None:
    text = "\n".join(f"one{i} two-{i}'s three" for i in range(9000))  # two pieces, and some
    array = WordSuffixArray([text], 9)
    assert len(array) == len(words_of(text)) + 1
    assert array.runs_in([text]) == [[" ".join(words_of(text)[:9])]]


def test_case_punctuation_and_line_breaks_do_not_matter_and_texts_are_apart() -> None:
    array = WordSuffixArray(["One, two;\nthree", "four five. Six"], 3)
    assert array.runs_in(["zero ONE two -- Three", "three four five", "FOUR\tfive six"]) == [
        ["one two three"],
        [],
        ["four five six"],
    ]


def test_a_text_shorter_than_a_run_has_no_run() -> None:
    array = WordSuffixArray(["a b c"], 3)
    assert array.runs_in(["", "a b"]) == [[], []]
    assert array.runs_in([]) == []
