import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_server.retrieval import Retriever, fuse
from rag_server.testing import MemoryCatalog, WordsEmbedder


def retriever(*texts: str) -> Retriever:
    return Retriever(MemoryCatalog().publish("c", texts), WordsEmbedder())


def test_scores_follow_the_formula_of_reciprocal_rank_fusion():
    fused = fuse([[(7, 0.9), (3, 0.8)], [(3, 12.0)]])
    assert fused == [(3, pytest.approx(1 / 62 + 1 / 61)), (7, pytest.approx(1 / 61))]


def test_equal_scores_come_in_order_of_row():
    assert [row for row, _ in fuse([[(9, 1.0)], [(2, 1.0)]])] == [2, 9]


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 30), unique=True), max_size=3))
def test_fusing_keeps_every_row_once_best_first(rankings):
    fused = fuse([[(row, 0.0) for row in ranking] for ranking in rankings])
    assert sorted(row for row, _ in fused) == sorted({r for ranking in rankings for r in ranking})
    assert [s for _, s in fused] == sorted((s for _, s in fused), reverse=True)


def test_a_token_of_the_question_finds_the_passage_that_holds_it():
    passages = [f"PERSON_[{n}] came in with a cough" for n in ("aaaa", "bbbb", "cccc")]
    found = retriever(*passages).retrieve("why did PERSON_[bbbb] come", 1)
    assert [p.text for p in found] == [passages[1]]


def test_who_is_named_counts_for_more_than_what_is_said():
    like = [f"what helps against a cough at night, note {n}" for n in range(6)]
    found = retriever(*like, "PERSON_[aaaa] has gout").retrieve(
        "what helps PERSON_[aaaa] against a cough at night", 1
    )
    assert [p.text for p in found] == ["PERSON_[aaaa] has gout"]


def test_the_embedder_never_reads_a_ciphertext():
    class Spy(WordsEmbedder):
        seen: list[str] = []  # noqa: RUF012

        def embed(self, texts):
            self.seen.extend(texts)
            return super().embed(texts)

    version, spy = MemoryCatalog().publish("c", ["a"]), Spy()
    Retriever(version, spy).retrieve("is PERSON_[q2Zf] with PERSON_[q2Zf] in LOCATION_[x]?", 1)
    assert spy.seen == ["is person 1 with person 1 in location 1?"]


@pytest.mark.parametrize(("top_k", "texts", "count"), [(2, 3, 2), (5, 3, 3), (0, 3, 0), (5, 0, 0)])
def test_at_most_top_k_passages_are_returned(top_k, texts, count):
    found = retriever(*[f"note number {n}" for n in range(texts)]).retrieve("note", top_k)
    assert len(found) == count


def test_passages_carry_their_fused_score():
    best, *_ = retriever("cold and cough", "coffee").retrieve("cough", 2)
    assert best.score == pytest.approx(2 / 61)
