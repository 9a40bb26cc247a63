"""How much a consensus could say, counted on plain text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.indexer.consensus.survival import LEVELS, survival, survival_line
from sage_rag.indexer.corpus import Document

SHARED = "rest the knee and cool it"


def documents(*texts: str, subject: str = "") -> list[Document]:
    return [Document(str(i), {"text": t}, subject) for i, t in enumerate(texts)]


def test_words_are_counted_that_a_run_of_enough_subjects_holds() -> None:
    corpus = documents(f"{SHARED} today", f"{SHARED} tomorrow", f"{SHARED}, never mind")
    shares = survival(lambda: corpus)
    assert shares[2] == shares[3] == pytest.approx(18 / 22)
    assert shares[5] == 0


def test_one_subject_with_many_records_says_nothing_twice() -> None:
    corpus = documents(f"{SHARED} today", f"{SHARED} tomorrow", subject="the same")
    assert survival(lambda: corpus) == dict.fromkeys(LEVELS, 0.0)


def test_an_empty_text_is_no_error() -> None:
    assert survival(lambda: documents("", "...")) == dict.fromkeys(LEVELS, 0.0)


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=8).map(" ".join), max_size=8))
def test_a_larger_k_never_says_more(texts: list[str]) -> None:
    corpus = documents(*texts)
    shares = [survival(lambda: corpus)[k] for k in LEVELS]
    assert shares == sorted(shares, reverse=True)
    assert all(0 <= share <= 1 for share in shares)


def test_the_line_names_each_level() -> None:
    line = survival_line({2: 0.5, 3: 0.25, 5: 0.0})
    assert line.endswith("50% at k = 2, 25% at k = 3, 0% at k = 5")
