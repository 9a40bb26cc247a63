"""Digests: what of a record decides its topic."""

from __future__ import annotations

from sage_rag.indexer.consensus.digests import digest
from sage_rag.privacy.gate.support import SupportCounts


def counts(*texts):
    return SupportCounts((str(number), [text]) for number, text in enumerate(texts))


def test_a_word_of_fewer_than_k_subjects_decides_nothing() -> None:
    support = counts("My parrot has a rash.", "A red rash.", "Rash and a red eye.")
    assert digest("My parrot has a rash.", support, 3) == "rash"
    assert digest("My parrot has a red rash.", support, 2) == "red rash"


def test_values_numbers_and_function_words_are_left_out() -> None:
    text = "[PERSON_1] and a rash for 12 days."
    assert digest(text, counts(text, text, text), 3) == "rash days"


def test_the_rarest_words_stay_in_the_order_of_the_text() -> None:
    rare = " ".join(f"word{'abcdefghijklmnopqrstuvwxyz'[i]}" for i in range(24))
    common = [f"common {rare}"] * 3 + ["common"] * 9
    assert digest(f"Common {rare}", counts(*common), 3) == rare


def test_a_text_without_support_has_no_digest() -> None:
    assert digest("My parrot sings.", counts("A rash.", "A rash.", "A rash."), 3) == ""
