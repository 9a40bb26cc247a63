import numpy as np
import pytest

from sage_rag.rag_server.guards.membership import FEWEST, closeness_of_copies, is_suspicious
from tests.rag_server.fakes import MemoryCatalog, WordsEmbedder

CHANCE = np.random.default_rng(3)


@pytest.mark.parametrize("n", [100, 400])
def test_the_largest_of_normal_similarities_is_seldom_suspicious(n):
    trials = 400
    hidden = 0
    for _ in range(trials):
        similarities = sorted(CHANCE.normal(0.2, 0.1, n))
        hidden += is_suspicious(similarities[-1], similarities[:-1])
    assert hidden / trials < 0.12


def test_a_copy_among_ordinary_similarities_is_suspicious():
    assert is_suspicious(0.98, CHANCE.normal(0.2, 0.1, 200).tolist())


def test_a_passage_that_is_no_nearer_than_its_own_half_is_not_repeated():
    others = CHANCE.normal(0.2, 0.1, 200).tolist()
    assert is_suspicious(0.7, others, closeness=0.68)
    assert not is_suspicious(0.7, others, closeness=0.72)


def test_a_passage_without_a_lead_on_the_second_is_not_repeated():
    others = CHANCE.normal(0.2, 0.1, 200).tolist()
    assert not is_suspicious(0.98, [*others, 0.97])


def test_copies_are_as_close_as_half_of_a_passage_is():
    version = MemoryCatalog().publish("c", ["rest helps", "salt water"])
    assert closeness_of_copies(version) == 0.0
    embedder = WordsEmbedder()
    halves = {0: embedder.embed(["rest", "helps"]), 1: embedder.embed(["salt", "water"])}
    version.sentence_vectors = lambda rows: dict(enumerate(halves[rows[0]]))
    assert closeness_of_copies(version) == pytest.approx(2**-0.5, abs=0.01)


def test_a_question_that_has_many_near_passages_is_not():
    assert not is_suspicious(0.8, CHANCE.normal(0.6, 0.1, 200).tolist())


def test_few_passages_say_nothing():
    assert not is_suspicious(0.98, [0.1] * (FEWEST - 1))
