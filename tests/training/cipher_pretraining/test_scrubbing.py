"""Scrubbed texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sage_rag.training.cipher_pretraining.scrubbing import passages, scrubbed_texts


@given(st.text(st.characters() | st.just("\n"), max_size=80), st.integers(1, 20))
def test_passages_are_the_text(text: str, size: int) -> None:
    assert "".join(passages(text, size)) == text


def test_recognised_values_are_gone_and_other_words_stay() -> None:
    text = "Mrs. Ottilie Brandwein lives in Leipzig.\nShe plants roses.\n" * 2
    (scrubbed,) = scrubbed_texts([text])
    assert "Brandwein" not in scrubbed
    assert "Leipzig" not in scrubbed
    assert scrubbed.count("plants roses.") == 2
