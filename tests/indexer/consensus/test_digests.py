"""Digests: what of a record decides its topic."""

from __future__ import annotations

import numpy as np
import pytest

from sage_rag.indexer.consensus.digests import digest, digest_vectors, joint_vectors
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.privacy.gate.support import SupportCounts


def counts(*texts):
    return SupportCounts((str(number), [text]) for number, text in enumerate(texts))


def test_a_word_of_fewer_than_k_subjects_decides_nothing() -> None:
    support = counts("My parrot has a rash.", "A red rash.", "Rash and a red eye.")
    assert digest("My parrot has a rash.", support, 3) == ("rash",)
    assert digest("My parrot has a red rash.", support, 2) == ("red", "rash")


def test_values_numbers_and_function_words_are_left_out() -> None:
    text = "[PERSON_1] and a rash for 12 days."
    assert digest(text, counts(text, text, text), 3) == ("rash", "days")


def test_the_rarest_words_stay_in_the_order_of_the_text() -> None:
    rare = " ".join(f"word{'abcdefghijklmnopqrstuvwxyz'[i]}" for i in range(24))
    common = [f"common {rare}"] * 3 + ["common"] * 9
    assert digest(f"Common {rare}", counts(*common), 3) == tuple(rare.split())


def test_a_text_without_support_has_no_digest() -> None:
    assert digest("My parrot sings.", counts("A rash.", "A rash.", "A rash."), 3) == ()


def test_a_vector_is_nearer_to_the_rarer_word() -> None:
    embedder = HashEmbedder()
    digests = [("rash", "fever"), *[("fever",)] * 9, ()]
    vectors = digest_vectors(digests, embedder)
    rash, fever = embedder.embed(["rash", "fever"])
    assert vectors[0] @ rash > vectors[0] @ fever
    assert vectors[1] @ fever == pytest.approx(1)
    assert not vectors[-1].any()


def test_each_word_is_embedded_once() -> None:
    embedder = HashEmbedder()
    digest_vectors([("rash", "fever"), ("rash", "cough")], embedder)
    assert embedder.embedded == 3
    assert digest_vectors([(), ()], embedder).shape == (2, embedder.dim)


def test_what_all_records_share_decides_no_topic() -> None:
    shared, first, second = np.eye(3, dtype=np.float32)
    joint = joint_vectors([np.stack([shared + first, shared + second])])
    assert joint[0] @ joint[1] == pytest.approx(-1)
    assert joint @ shared == pytest.approx(0)
    assert not joint_vectors([np.stack([shared, shared])]).any()
