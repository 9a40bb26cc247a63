import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.rag_server.retrieval import Retriever, fuse
from tests.rag_server.fakes import MemoryCatalog, WordsEmbedder


def retriever(*texts: str) -> Retriever:
    return Retriever(MemoryCatalog().publish("c", texts), WordsEmbedder())


def test_scores_are_shares_of_the_best_of_each_search():
    fused = fuse([(7, 0.8), (3, 0.2)], [(3, 12.0), (5, 3.0)])
    assert fused == [
        (3, pytest.approx(0.5 * 0.25 + 0.5)),
        (7, pytest.approx(0.5)),
        (5, pytest.approx(0.5 * 0.25)),
    ]


def test_who_is_named_counts_as_much_as_both_searches_together():
    fused = dict(fuse([(7, 0.9)], [(7, 4.0)], named=[(3, 8.0), (5, 8.0), (7, 2.0)]))
    assert fused[3] == fused[5] == pytest.approx(1.0)
    assert fused[7] == pytest.approx(1.25)


def test_equal_scores_come_in_order_of_row():
    assert [row for row, _ in fuse([(9, 1.0)], [(2, 1.0)])] == [2, 9]


def test_what_points_the_other_way_counts_nothing():
    assert fuse([(1, -0.5), (2, -0.1)], []) == [(1, 0.0), (2, 0.0)]


SEARCH = st.lists(
    st.tuples(st.integers(0, 30), st.floats(-1, 1)), unique_by=lambda found: found[0], max_size=9
)


@settings(deadline=None)
@given(SEARCH, SEARCH, SEARCH)
def test_fusing_keeps_every_row_once_best_first(dense, lexical, named):
    fused = fuse(dense, lexical, named)
    rows = {row for ranking in (dense, lexical, named) for row, _ in ranking}
    assert sorted(row for row, _ in fused) == sorted(rows)
    assert [s for _, s in fused] == sorted((s for _, s in fused), reverse=True)
    assert all(0 <= score <= 2 for _, score in fused)


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


WORD = "PERSON~mfrggzdfmztwq2lk"


def test_a_blind_word_finds_the_record_that_holds_it():
    like = [f"what helps against a cough at night, note {n}" for n in range(6)]
    version = MemoryCatalog().publish("c", [*like, f"gout {WORD}"])
    asked = "what helps against a cough at night"
    [best] = Retriever(version, WordsEmbedder()).retrieve(asked, 1, [WORD])
    assert best.text == f"gout {WORD}"


def test_the_whole_name_outranks_part_of_it_whatever_else_the_records_say():
    token, whole, part = "PERSON_[aaaa]", WORD, "PERSON~aaaaaaaaaaaaaaaa"
    asked = f"what helps {token} against a cough at night"
    like = [f"{asked.replace(token, 'her')} {part}, note {n}" for n in range(6)]
    version = MemoryCatalog().publish("c", [*like, f"{token} has gout {whole} {part}"])
    [best] = Retriever(version, WordsEmbedder()).retrieve(asked, 1, [whole, part])
    assert best.text.startswith(token)


def test_neither_the_embedder_nor_what_a_question_imitates_brings_in_a_blind_word():
    class Spy(WordsEmbedder):
        seen: list[str] = []  # noqa: RUF012

        def embed(self, texts):
            self.seen.extend(texts)
            return super().embed(texts)

    version, spy = MemoryCatalog().publish("c", [f"gout {WORD}"]), Spy()
    Retriever(version, spy).retrieve("is it gout?", 1, [WORD])
    assert spy.seen == ["is it gout?"]
    imitated = Retriever(version, spy).retrieve(f"is it {WORD}", 1)
    plain = Retriever(version, spy).retrieve(f"is it {WORD}", 1, [WORD])
    assert imitated[0].score < plain[0].score


@pytest.mark.parametrize(("top_k", "texts", "count"), [(2, 3, 2), (5, 3, 3), (0, 3, 0), (5, 0, 0)])
def test_at_most_top_k_passages_are_returned(top_k, texts, count):
    found = retriever(*[f"note number {n}" for n in range(texts)]).retrieve("note", top_k)
    assert len(found) == count


def test_passages_carry_their_fused_score():
    best, *_ = retriever("cold and cough", "coffee").retrieve("cough", 2)
    assert best.score == pytest.approx(1.0)


def guarded(texts: list[str], question: str) -> list[str]:
    version = MemoryCatalog().publish("c", texts)
    found = Retriever(version, WordsEmbedder(), guarded=True).retrieve(question, 3)
    return [passage.text for passage in found]


def test_a_guard_hides_a_passage_that_a_question_repeats():
    texts = [f"ships number {n} sail to port {n} at dawn" for n in range(60)]
    secret = "a blue lantern hangs over the third bridge"
    assert secret not in guarded([*texts, secret], secret)
    assert secret in [p.text for p in retriever(*texts, secret).retrieve(secret, 3)]


def test_a_guard_leaves_a_question_that_many_passages_fit():
    texts = [f"ships number {n} sail to port {n} at dawn" for n in range(60)]
    assert len(guarded(texts, "when do ships sail to port")) == 3


def test_a_guard_leaves_a_record_that_is_asked_for_by_name():
    texts = [f"ships number {n} sail to port {n} at dawn" for n in range(60)]
    secret = "PERSON_[aaaa] hangs a blue lantern over the third bridge"
    assert secret in guarded([*texts, secret], secret)
