import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.eval.synthetic_text.similarity import Sources, distinct

TEXTS = st.lists(st.sampled_from("a b c d e f".split()), min_size=1, max_size=14).map(" ".join)


def test_a_copy_is_1_and_other_words_are_0() -> None:
    sources = Sources(["the court of Pell heard him", "a river runs"])
    copy, other = sources.nearest("The court of Pell heard him."), sources.nearest("nothing shared")
    assert (copy.rouge_2, copy.rouge_l) == (1, 1)
    assert (other.rouge_2, other.rouge_l) == (0, 0)


def test_a_token_is_one_word_however_long() -> None:
    sources = Sources(["Ms Ada Roth heard him in the court of Pell"])
    hidden = f"Ms PERSON_[{'AbC-d_9' * 8}] heard him in the court of Pell"
    assert sources.nearest(hidden).rouge_l == pytest.approx(2 * 8 / (10 + 9))
    assert distinct([hidden], 1) == 1


def test_the_nearest_source_counts_for_each_measure() -> None:
    found = Sources(["a b x", "a y b z c", "q"]).nearest("a b c")
    assert found.rouge_2 == pytest.approx(2 * 1 / 4)
    assert found.rouge_l == pytest.approx(2 * 3 / 8)


@settings(max_examples=60, deadline=None)
@given(text=TEXTS, sources=st.lists(TEXTS, min_size=1, max_size=4))
def test_rouge_agrees_with_an_independent_implementation(text: str, sources: list[str]) -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rouge2", "rougeL"])
    found = Sources(sources).nearest(text)
    scores = [scorer.score(source, text) for source in sources]
    assert found.rouge_2 == pytest.approx(max(s["rouge2"].fmeasure for s in scores))
    assert found.rouge_l == pytest.approx(max(s["rougeL"].fmeasure for s in scores))


def test_distinct_runs() -> None:
    assert distinct(["a b a b", "a b"], 1) == pytest.approx(2 / 6)
    assert distinct(["a b a b", "a b"], 2) == pytest.approx(2 / 4)
    assert distinct(["a"], 2) == 0
