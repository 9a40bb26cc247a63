"""Leakage measures against brute force and against `rouge-score`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from privacy.leakage import Original, digits, longest_common_subsequence, normalize, tokenize

SENTENCES = st.lists(st.sampled_from("a b c d ab ba".split()), max_size=25).map(" ".join)


def common_subsequence_by_table(a: list[str], b: list[str]) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        previous = 0
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], previous + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


def longest_run_by_search(a: list[str], b: list[str]) -> int:
    runs = {tuple(b[i:j]) for i in range(len(b)) for j in range(i + 1, len(b) + 1)}
    return max(
        (j - i for i in range(len(a)) for j in range(i + 1, len(a) + 1) if tuple(a[i:j]) in runs),
        default=0,
    )


@given(SENTENCES, SENTENCES)
def test_common_subsequence_agrees_with_dynamic_programming(a: str, b: str) -> None:
    expected = common_subsequence_by_table(a.split(), b.split())
    assert longest_common_subsequence(a.split(), b.split()) == expected


@given(SENTENCES, SENTENCES)
def test_longest_run_agrees_with_search(draft: str, original: str) -> None:
    expected = longest_run_by_search(draft.split(), original.split())
    assert Original(original).longest_shared_run(draft) == expected


@given(SENTENCES, SENTENCES)
def test_rouge_l_agrees_with_rouge_score(draft: str, original: str) -> None:
    theirs = RougeScorer(["rougeL"]).score(original, draft)["rougeL"]
    ours = Original(original).rouge_l(draft)
    assert (ours.precision, ours.recall, ours.f1) == pytest.approx(tuple(theirs))


@given(SENTENCES, SENTENCES, st.integers(1, 5))
def test_runs_stand_where_they_are_said_to(draft: str, original: str, at_least: int) -> None:
    text = f" {' '.join(tokenize(original))} "
    for run in Original(original).shared_runs(draft, at_least=at_least):
        found = " ".join(tokenize(draft[run.start : run.end]))
        assert len(found.split()) == run.tokens >= at_least
        assert f" {found} " in text


def test_runs_are_maximal_and_all_found() -> None:
    original = Original("one two three four five six seven eight nine ten")
    runs = original.shared_runs("four five six X one two three Y nine ten", at_least=3)
    assert [(r.start, r.end, r.tokens) for r in runs] == [(0, 13, 3), (16, 29, 3)]


def test_the_last_window_counts() -> None:
    text = "a b c d e f g h i j"
    assert Original(text).longest_shared_run(f"x {text}") == 10


def test_case_and_punctuation_do_not_hide_a_run() -> None:
    assert Original("The Cat, sat!").longest_shared_run("the cat sat") == 3


def test_a_clause_without_spaces_is_many_words_and_not_one() -> None:
    original = Original("头疼三天了，多喝水，注意休息，三天后复诊")
    assert original.longest_shared_run("医生说：多喝水，注意休息，三天后复诊") == 12
    assert original.shared_runs("多喝水，注意休息，三天后复诊", at_least=10)
    assert tokenize("MRI检查 ok") == ["mri", "检", "查", "ok"]


def test_a_text_of_twenty_thousand_words_is_measured() -> None:
    words = [f"w{i * 7919 % 5000}" for i in range(20_000)]
    original = Original(" ".join(words))
    assert original.longest_shared_run(" ".join(words[5:])) == 19_995
    assert original.rouge_l(" ".join(words)).f1 == 1.0


def test_identifiers_are_compared_normalised() -> None:
    assert normalize("\uff21da  NOVAK") == "ada novak"
    assert digits("+1 (202) \u0665\u0665\u0665-0134") == "12025550134"
