"""Leakage measures against brute force and against `rouge-score`."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sage_rag.privacy.gate.leakage import Original, f1
from sage_rag.privacy.words import digits, normalize, tokenize, words
from tests.growth import LINEAR, growth

SENTENCES = st.lists(st.sampled_from("a b c d ab ba".split()), max_size=25).map(" ".join)
REPETITIVE = st.lists(st.sampled_from("a b".split()), min_size=30, max_size=80).map(" ".join)
"""So many equal pairs that runs are found by automaton."""


def rouge_score(kind: str, original: str, draft: str) -> Any:
    from rouge_score.rouge_scorer import RougeScorer  # loads scikit-learn

    return RougeScorer([kind]).score(original, draft)[kind]


def longest_run_by_search(a: list[str], b: list[str]) -> int:
    runs = {tuple(b[i:j]) for i in range(len(b)) for j in range(i + 1, len(b) + 1)}
    return max(
        (j - i for i in range(len(a)) for j in range(i + 1, len(a) + 1) if tuple(a[i:j]) in runs),
        default=0,
    )


def maximal_runs_by_search(a: list[str], b: list[str], at_least: int) -> list[tuple[int, int]]:
    """Return start and length of the longest run at each end, where it does not grow on."""
    ends = []
    for end in range(len(a)):
        fitting = [
            n
            for n in range(1, end + 2)
            if any(b[i : i + n] == a[end - n + 1 : end + 1] for i in range(len(b) - n + 1))
        ]
        ends.append(max(fitting, default=0))
    grows = [after == length + 1 for length, after in pairwise([*ends, 0])]
    return [(end - n + 1, n) for end, n in enumerate(ends) if n >= at_least and not grows[end]]


@given(SENTENCES | REPETITIVE, SENTENCES | REPETITIVE)
def test_longest_run_agrees_with_search(draft: str, original: str) -> None:
    expected = longest_run_by_search(draft.split(), original.split())
    assert Original(original).longest_shared_run(draft) == expected


@pytest.mark.slow
@given(SENTENCES | REPETITIVE, SENTENCES | REPETITIVE, st.integers(1, 5))
def test_runs_agree_with_search(draft: str, original: str, at_least: int) -> None:
    found = words(draft)
    expected = [
        (found[i].start, found[i + n - 1].end, n)
        for i, n in maximal_runs_by_search(draft.split(), original.split(), at_least)
    ]
    runs = Original(original).shared_runs(draft, at_least=at_least)
    assert [(r.start, r.end, r.tokens) for r in runs] == expected


@given(SENTENCES, SENTENCES)
def test_rouge_l_agrees_with_rouge_score(draft: str, original: str) -> None:
    theirs = rouge_score("rougeL", original, draft)
    assert Original(original).rouge_l(draft) == pytest.approx(theirs.fmeasure)


@given(st.text(st.characters(codec="ascii"), max_size=60), st.text(max_size=60))
def test_rouge_l_agrees_with_rouge_score_on_its_alphabet(draft: str, original: str) -> None:
    original = original.encode("ascii", "ignore").decode().replace("_", " ")
    draft = draft.replace("_", " ")
    theirs = rouge_score("rougeL", original, draft)
    assert Original(original).rouge_l(draft) == pytest.approx(theirs.fmeasure)


LINES = st.lists(SENTENCES, max_size=5).map("\n".join)


@given(LINES, LINES)
def test_order_free_likeness_is_rouge_lsum_of_rouge_score(draft: str, original: str) -> None:
    theirs = rouge_score("rougeLsum", original, draft)
    assert Original(original).compare(draft).order_free == pytest.approx(theirs.fmeasure)


@given(st.lists(SENTENCES, max_size=5), st.randoms())
def test_the_order_of_sentences_changes_nothing(lines: list[str], random: Random) -> None:
    shuffled = random.sample(lines, len(lines))
    has_words = any(lines)
    assert Original("\n".join(lines)).compare("\n".join(shuffled)).order_free == has_words


def test_order_free_likeness_of_kept_sentences_is_their_share() -> None:
    original = Original("He rang. The knee is swollen again. Ice does not help.")
    assert original.compare("Ice does not help. He rang.").order_free == 2 * 6 / (6 + 11)
    assert original.compare("Nothing of that.").order_free == 0
    assert original.compare("he he he he he he").order_free == 2 / (6 + 11)


def test_order_free_likeness_of_a_long_text_is_never_less_and_takes_linear_time() -> None:
    line = "the knee of a patient is swollen again\n"

    def compared(lines: int) -> float:
        original = Original(line * lines)
        return original.compare("again swollen is\n" * (2 * lines)).order_free

    assert compared(500) >= compared(100) > 0
    assert growth(compared, 800) < LINEAR


@pytest.mark.parametrize(("common", "one", "other"), [(1, 2, 2), (3, 5, 7), (49, 97, 99)])
def test_one_half_is_exactly_one_half(common: int, one: int, other: int) -> None:
    assert f1(common, one, other) == 0.5


def test_where_rouge_score_reads_other_tokens() -> None:
    """Its tokens are `[a-z0-9]+`: it cuts words at letters beyond ASCII and at underscores."""
    theirs = rouge_score("rougeL", "Zoë naïve", "Zo na")
    assert theirs.fmeasure > 0
    assert Original("Zoë naïve").rouge_l("Zo na") == 0
    assert Original("家 里").rouge_l("家 里") == 1
    assert rouge_score("rougeL", "家 里", "家 里").fmeasure == 0
    assert Original("a_b").rouge_l("a b") == 0


@given(SENTENCES, SENTENCES, st.integers(1, 5))
def test_measures_taken_together_agree_with_each_alone(
    draft: str, original: str, at_least: int
) -> None:
    together = Original(original).compare(draft)
    assert together.rouge_l == Original(original).rouge_l(draft)
    assert together.longest_shared_run == Original(original).longest_shared_run(draft)
    alone = Original(original).shared_runs(draft, at_least=at_least)
    assert together.shared_runs(at_least=at_least) == alone


@given(st.text(max_size=60))
@example("Straße İstanbul ﬁn 头疼 \u2019s a_b \x1c c\u00a0d \ud800 e9")
def test_tokens_are_those_of_the_words(text: str) -> None:
    assert tokenize(text) == [word.text for word in words(text)]


@given(st.text(st.characters(codec="ascii"), max_size=60))
def test_tokens_of_plain_text_are_its_words(text: str) -> None:
    assert tokenize(text) == [token.lower() for token in re.findall(r"\w+", text)]


@given(st.text(max_size=40))
def test_a_text_is_wholly_its_own_run(text: str) -> None:
    tokens = len(tokenize(text))
    assert Original(text).longest_shared_run(text) == tokens
    assert Original(text).rouge_l(text) == (1.0 if tokens else 0.0)


def test_a_run_of_no_length_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one token"):
        Original("a").shared_runs("a", at_least=0)


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


@pytest.mark.slow
@pytest.mark.parametrize("vocabulary", [1, 2, 50, 5_000])
def test_texts_of_twenty_thousand_words_are_measured_exactly(vocabulary: int) -> None:
    tokens = [f"w{i * i * 7919 % 104_729 % vocabulary}" for i in range(20_000)]
    text, other = " ".join(tokens), " ".join(tokens[5:])
    comparison = Original(text).compare(other)
    assert comparison.longest_shared_run == 19_995
    assert [run.tokens for run in comparison.shared_runs(at_least=10)] == [19_995]
    assert comparison.rouge_l == pytest.approx(2 * 19_995 / 39_995)


def test_identifiers_are_compared_normalised() -> None:
    assert normalize("\uff21da  NOVAK") == "ada novak"
    assert digits("+1 (202) \u0665\u0665\u0665-0134") == "12025550134"
