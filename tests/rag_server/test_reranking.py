from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.reranking import paired_view, rerank, reranker_called, scaled
from sage_rag.rag_server.retrieval import Retriever
from tests.rag_server.fakes import MemoryCatalog, WordsEmbedder


class Longest:
    """Prefers long passages, and remembers what it read."""

    def __init__(self, weight: float = 1.0, *, reads_names: bool = True) -> None:
        self.weight = weight
        self.reads_names = reads_names
        self.read: list[tuple[str, tuple[str, ...]]] = []

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        self.read.append((question, tuple(passages)))
        return [float(len(passage)) for passage in passages]


def found(*texts: str) -> list[tuple[Passage, float]]:
    count = len(texts)
    return [(Passage(f"p{i}", f"s{i}", {"text": t}), 1.0 - i / count) for i, t in enumerate(texts)]


def order(reranked: Sequence[tuple[Passage, float]]) -> list[str]:
    return [passage.id for passage, _ in reranked]


def test_the_rerankers_score_decides_where_it_has_all_the_weight():
    assert order(rerank("q", found("a", "aaa", "aa"), Longest())) == ["p1", "p2", "p0"]


def test_the_search_decides_where_the_reranker_has_no_weight():
    assert order(rerank("q", found("a", "aaa", "aa"), Longest(0.0))) == ["p0", "p1", "p2"]


def test_equal_scores_keep_the_order_of_the_search():
    assert order(rerank("q", found("aa", "bb", "cc"), Longest())) == ["p0", "p1", "p2"]


def test_nothing_found_stays_nothing():
    assert rerank("q", [], Longest()) == []


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_scaled_scores_are_in_the_unit_interval_and_keep_their_order(scores):
    shares = scaled(scores)
    assert all(0 <= share <= 1 for share in shares)
    assert max(shares) == 1
    pairs = sorted(zip(scores, shares, strict=True))
    assert [share for _, share in pairs] == sorted(shares)


def test_a_token_has_one_number_in_question_and_passage():
    question = "what did PERSON_[aaaa] say to PERSON_[bbbb]"
    view = paired_view(question, "PERSON_[cccc] met PERSON_[bbbb] and PERSON_[aaaa]")
    assert view == "person 3 met person 2 and person 1"


def test_a_border_in_the_question_does_not_reach_the_passage():
    assert paired_view("a\x1eb", "c") == "c"


def test_a_reranker_reads_no_ciphertext():
    reranker = Longest()
    version = MemoryCatalog().publish("c", ["PERSON_[aaaa] coughs", "PERSON_[bbbb] sleeps"])
    Retriever(version, WordsEmbedder(), reranker).retrieve("does PERSON_[bbbb] sleep", 2)
    [(question, passages)] = reranker.read
    assert question == "does person 1 sleep"
    assert sorted(passages) == ["person 1 sleeps", "person 2 coughs"]


def test_a_reranker_that_compares_words_reads_no_names_of_the_question():
    reranker = Longest(reads_names=False)
    rerank("does PERSON_[bbbb] sleep", found("PERSON_[bbbb] sleeps"), reranker)
    assert reranker.read == [("does   sleep", ("person 1 sleeps",))]


def test_retrieval_returns_the_rerankers_best():
    texts = ["gout", "gout and a long story", "gout again"]
    version = MemoryCatalog().publish("c", texts)
    [best] = Retriever(version, WordsEmbedder(), Longest()).retrieve("gout", 1)
    assert best.text == "gout and a long story"
    assert best.score == pytest.approx(1.0)


def test_off_is_no_reranker():
    assert reranker_called("off") is None
