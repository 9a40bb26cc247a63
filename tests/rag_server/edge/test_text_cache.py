"""The cache of texts: bounded, without the texts, without failures."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import ProtectionError
from sage_rag.rag_server.edge.text_cache import TextCache


class Counting:
    """Turns a text round; counts the calls."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, text: str) -> str:
        self.asked.append(text)
        return text[::-1]


@given(st.lists(st.text(max_size=4)), st.integers(1, 5), st.integers(1, 12))
def test_every_result_is_the_functions_own(texts: list[str], most: int, characters: int) -> None:
    cache = TextCache(Counting(), most_texts=most, most_characters=characters)
    assert [cache(text) for text in texts] == [text[::-1] for text in texts]
    assert len(cache._results) <= most
    assert sum(map(len, cache._results.values())) == cache._characters <= characters


def test_a_text_is_read_once_until_it_is_the_least_recently_used() -> None:
    function = Counting()
    cache = TextCache(function, most_texts=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        cache(text)
    assert function.asked == ["a", "b", "c", "b"]


def test_a_failure_is_not_kept() -> None:
    answers = iter([ProtectionError("recognition failed"), ProtectionError("again"), "PERSON_[x]"])

    def fail(_: str) -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    cache = TextCache(fail)
    for _ in range(2):
        with pytest.raises(ProtectionError):
            cache("Maria Keller")
    assert cache("Maria Keller") == "PERSON_[x]"


def test_the_texts_are_not_kept() -> None:
    cache = TextCache(lambda text: "hidden")
    cache("Maria " + "Keller")
    assert "hidden" in repr(vars(cache))
    assert "Keller" not in repr(vars(cache))


def test_threads_get_the_results_of_their_own_texts() -> None:
    cache = TextCache(Counting(), most_texts=8)
    texts = [f"{n % 20:02}" for n in range(400)]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(cache, texts)) == [text[::-1] for text in texts]
    assert cache._characters == sum(map(len, cache._results.values()))
