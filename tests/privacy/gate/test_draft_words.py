"""The words of drafts, with placeholders before and tokens after sealing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.gate.draft_words import draft_tokens, draft_words, sentence_tokens
from sage_rag.privacy.protect import seal
from sage_rag.privacy.words import tokenize

TOKENS = {
    "[PERSON_1]": "PERSON_[q2Zf-3kAb_Cc9-d_dE]",
    "[LOCATION_12]": "LOCATION_[a.b-c]",
    "[US_SSN_1]": "US_SSN_[]",
}
PIECES = st.sampled_from([*TOKENS, " ", "\n", ". ", "'s", "Dr", "[", "]", "_", "knee", "头疼", "é"])
DRAFTS = st.lists(PIECES, max_size=20).map("".join)


@given(DRAFTS)
def test_sealing_changes_no_count_of_words(draft: str) -> None:
    sealed = seal(draft, TOKENS)
    named = [TOKENS.get(token, token) for token in draft_tokens(draft)]
    assert draft_tokens(sealed) == named
    assert [len(s) for s in sentence_tokens(sealed)] == [len(s) for s in sentence_tokens(draft)]


@given(DRAFTS | st.text(max_size=40))
def test_words_have_their_positions(text: str) -> None:
    found = draft_words(text)
    assert [word.text for word in found] == draft_tokens(text)
    places = [text[word.start : word.end] for word in found]
    assert [t for place in places for t in draft_tokens(place)] == draft_tokens(text)


@given(DRAFTS | st.text(max_size=40))
def test_sentences_hold_every_word_once(text: str) -> None:
    assert [token for sentence in sentence_tokens(text) for token in sentence] == draft_tokens(text)


@given(st.text(max_size=40))
def test_text_without_markup_has_the_plain_words(text: str) -> None:
    assert draft_tokens(text.replace("[", " ")) == tokenize(text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Dr[PERSON_1]s knee", ["dr", "[PERSON_1]", "s", "knee"]),
        ("DrPERSON_[a-b_c.d]s knee", ["dr", "PERSON_[a-b_c.d]", "s", "knee"]),
        ("[ ] Yes [x] No", ["yes", "x", "no"]),
        ("person_1", ["person_1"]),
    ],
)
def test_markup_is_one_word_and_equals_no_plain_word(text: str, tokens: list[str]) -> None:
    assert draft_tokens(text) == tokens


def test_sentences_end_at_full_stops_and_lines() -> None:
    text = "It hurts. Does it? Yes\nIce: 2.5 bags! 头疼。多喝水"
    assert list(map(len, sentence_tokens(text))) == [2, 2, 1, 4, 2, 3]
