"""Which records stand for a corpus."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.agents.samples import choose_samples

SUBJECTS = {
    "ear": "the ear hurts and drops do not help with the swelling",
    "bridge": "a bridge over the river was built of iron and timber",
    "bread": "knead flour with yeast and bake the loaf until brown",
    "chess": "a knight takes the bishop and the king castles late",
    "tax": "declare income and pay the levy before the deadline",
}


def choose(texts, **options) -> list[str]:
    return choose_samples(texts, str, **options)


def test_one_of_each_subject_is_chosen() -> None:
    texts = [f"{words} case {n}" for n in range(20) for words in SUBJECTS.values()]
    subjects = {next(k for k, words in SUBJECTS.items() if words in t) for t in choose(texts)}
    assert len(subjects) == 5


def test_a_seed_gives_one_choice_and_seeds_differ() -> None:
    texts = [f"{words} number {n}" for n in range(400) for words in SUBJECTS.values()]
    assert choose(texts, seed=3) == choose(texts, seed=3)
    assert len({tuple(choose(texts, seed=seed)) for seed in range(5)}) == 5


def test_the_odd_ones_are_left_out() -> None:
    texts = [f"{words} case {n}" for n in range(20) for words in SUBJECTS.values()]
    odd = ["", "x", "zzz qqq jjj www", "the " * 5_000]
    assert not set(odd) & set(choose(texts + odd))


class Counted:
    """A text that knows how many of its kind are alive."""

    alive = most = 0

    def __init__(self, text: str) -> None:
        self.text = text
        Counted.alive += 1
        Counted.most = max(Counted.most, Counted.alive)

    def __del__(self) -> None:
        Counted.alive -= 1


def test_one_pass_holds_no_more_than_a_pool() -> None:
    def corpus() -> Iterator[Counted]:
        for number in range(3_000):
            yield Counted(f"record {number} of many")

    assert len(choose_samples(corpus(), lambda item: item.text)) == 5
    assert Counted.most <= 102


@given(st.lists(st.text(max_size=30), max_size=30), st.integers(1, 7), st.integers(0, 3))
def test_an_item_is_chosen_once(texts: list[str], count: int, seed: int) -> None:
    found = choose_samples(list(enumerate(texts)), lambda item: item[1], count=count, seed=seed)
    assert len(found) == len(set(found)) == min(count, len(texts))


@given(st.permutations([f"{words} case {n}" for n in range(30) for words in SUBJECTS.values()]))
@settings(max_examples=10, deadline=None)
def test_the_order_of_the_texts_does_not_matter(texts: list[str]) -> None:
    assert choose(texts) == choose(sorted(texts))


@pytest.mark.parametrize(
    "texts", [["同样的案子", "另一个人的故事"], ["!!!", "???"], ["a", "a", "a"]]
)
def test_texts_without_words_to_compare_are_chosen_too(texts: list[str]) -> None:
    assert sorted(choose(texts)) == sorted(texts)
