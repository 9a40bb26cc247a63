"""The token grammar and its incremental scanner."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy.ciphers.siv import SivCipher
from privacy.entities import EntityType
from privacy.keyset.keyset import Keyset
from privacy.tokens import (
    MAX_PAYLOAD,
    PLACEHOLDER,
    PLACEHOLDERS,
    TOKEN,
    TOKENS,
    StreamReplacer,
    readable_view,
)

CIPHER = SivCipher(Keyset.generate(), "clinic")
ADA = CIPHER.encrypt("Ada Novak", EntityType.PERSON)
BERN = CIPHER.encrypt("Bern", EntityType.LOCATION)

FRAGMENTS = st.lists(
    st.sampled_from(
        [
            *(ADA, BERN, "PERSON", "PERSON_", "PERSON_[", "[", "]", "_", "P", "x", " ", "\n", "ü"),
            *("🙂", "[PERSON_1]", "[PERSON_", "1", "LOCATION_[ab", "UK_", "URL_[]", "SOURCE_[[x]"),
        ]
    ),
    max_size=12,
).map("".join)


def bracketed(match: re.Match[str]) -> str:
    return f"<{match.group().lower()}>"


def streamed(grammar_name: str, pieces: list[str]) -> str:
    grammar = {"tokens": TOKENS, "placeholders": PLACEHOLDERS}[grammar_name]
    replacer = StreamReplacer(grammar, bracketed)
    return "".join([*map(replacer.feed, pieces), replacer.flush()])


@given(FRAGMENTS, st.lists(st.integers(0, 400), max_size=8))
def test_a_stream_cut_anywhere_equals_the_whole(text: str, cuts: list[int]) -> None:
    places = sorted({0, len(text), *(c for c in cuts if c < len(text))})
    pieces = [text[a:b] for a, b in itertools.pairwise(places)]
    assert streamed("tokens", pieces) == TOKEN.sub(bracketed, text)
    assert streamed("placeholders", pieces) == PLACEHOLDER.sub(bracketed, text)


def test_a_stream_cut_at_every_place_equals_the_whole() -> None:
    text = f"Dr {ADA}{BERN}, PERSON_[ and [PERSON_1] of {ADA}."
    whole = TOKEN.sub(bracketed, text)
    for cut in range(len(text) + 1):
        assert streamed("tokens", [text[:cut], text[cut:]]) == whole
    assert streamed("tokens", list(text)) == whole


def test_plain_text_is_never_held_back() -> None:
    replacer = StreamReplacer(TOKENS, bracketed)
    assert replacer.feed("see section [") == "see section ["
    assert replacer.feed("12] of the report") == "12] of the report"


def test_an_opening_that_never_closes_is_given_up_at_the_longest_token() -> None:
    replacer = StreamReplacer(TOKENS, bracketed)
    out = "".join(replacer.feed("x") for _ in "ab") + replacer.feed("PERSON_[")
    out += "".join(replacer.feed("A" * 64) for _ in range(MAX_PAYLOAD // 64 + 2))
    assert len(out) >= MAX_PAYLOAD
    assert out + replacer.flush() == "xxPERSON_[" + "A" * 64 * (MAX_PAYLOAD // 64 + 2)


@pytest.mark.parametrize("entity_type", EntityType)
def test_no_type_ends_with_another(entity_type: EntityType) -> None:
    """Otherwise text before a token could turn it into a token of another type."""
    assert not [t for t in EntityType if t != entity_type and t.endswith(entity_type)]


def test_the_readable_view_numbers_values_and_holds_no_ciphertext() -> None:
    view = readable_view(f"{ADA} wrote to {BERN} and {ADA}")
    assert view == "person 1 wrote to location 1 and person 1"
