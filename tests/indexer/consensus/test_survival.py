"""How much a consensus could say, counted on plain text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.indexer.consensus.survival import LEVELS, Survival, survival, survival_line
from sage_rag.indexer.corpus import Document

SHARED = "rest the knee and cool it"
NOTHING = Survival(0.0, 0.0)


def documents(*texts: str, subject: str = "") -> list[Document]:
    return [Document(str(i), {"text": t}, subject) for i, t in enumerate(texts)]


def test_words_and_runs_are_counted_that_enough_subjects_say() -> None:
    ends = ("today", "tomorrow", "tonight", "yesterday")
    corpus = documents(*(f"{SHARED} {end}" for end in ends))
    shares = survival(lambda: corpus)
    # `rest`, `knee`, `cool` and `it` of each; the last word is of one; runs need twice as many subjects
    assert shares[2] == Survival(pytest.approx(16 / 20), pytest.approx(12 / 16))
    assert shares[3] == Survival(pytest.approx(16 / 20), 0.0)
    assert shares[5] == NOTHING


def test_one_subject_with_many_records_says_nothing_twice() -> None:
    corpus = documents(f"{SHARED} today", f"{SHARED} tomorrow", subject="the same")
    assert survival(lambda: corpus) == dict.fromkeys(LEVELS, NOTHING)


def test_an_empty_text_is_no_error() -> None:
    assert survival(lambda: documents("", "...")) == dict.fromkeys(LEVELS, NOTHING)


@given(st.lists(st.lists(st.sampled_from("bcdef"), max_size=8).map(" ".join), max_size=8))
def test_a_larger_k_never_says_more(texts: list[str]) -> None:
    corpus = documents(*texts)
    shares = survival(lambda: corpus)
    for measure in ("words", "runs"):
        values = [getattr(shares[k], measure) for k in LEVELS]
        assert values == sorted(values, reverse=True)
        assert all(0 <= value <= 1 for value in values)


def test_the_line_names_each_level() -> None:
    line = survival_line({2: Survival(0.5, 0.25), 3: Survival(0.25, 0.0)})
    assert line.endswith("k = 2: 50% and 25%; k = 3: 25% and 0%")
