"""The token grammar and its incremental scanner."""

from __future__ import annotations

import itertools
import re
from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.tokens import (
    LOOSE,
    MAX_PAYLOAD,
    TOKEN,
    StreamReplacer,
    may_have_token,
    readable_view,
)

CIPHER = SivCipher(Keyset.generate(), "clinic")
ADA = CIPHER.encrypt("Ada Novak", EntityType.PERSON)
BERN = CIPHER.encrypt("Bern", EntityType.LOCATION)

FRAGMENTS = st.lists(
    st.sampled_from(
        [
            *(ADA, BERN, ADA[:-1], ADA.lower(), ADA[:30], ADA[30:], ADA[8:30], "A" * 25),
            *("PERSON", "PERSON_", "PERSON_[", "[", "]", "_", "P", "x", " ", "\n", "ü", "İ", "ſ"),
            *("🙂", "[PERSON_1]", "[PERSON_", "1", "LOCATION_[ab", "UK_", "URL_[]", "SOURCE_[[x]"),
            *("person\\_", "\\[", "\\]", "&#91;", "&#93;", "&#9", "&lsqb;", "&rsqb;", ".", "Iban_"),
            *("NATIONAL_", "ID_[a]", "MEDICAL\\_RECORD_", "age_[", "   ", "e", "ee"),
        ]
    ),
    max_size=12,
).map("".join)


def bracketed(match: re.Match[str]) -> str:
    return f"<{match.group().lower()}>"


def streamed(pieces: list[str]) -> str:
    replacer = StreamReplacer(LOOSE, bracketed)
    return "".join([*map(replacer.feed, pieces), replacer.flush()])


@given(text=FRAGMENTS, cuts=st.lists(st.integers(0, 400), max_size=8))
@example(text="PERSON_[" + "A" * 30 + "PERSON_[x]", cuts=[])
@example(text="PERSON_[" + "A" * 30 + " b PERSON_[x]", cuts=[])
@example(text="PERSON_[" + "A" * 30 + " b c d]", cuts=[])
def test_a_stream_cut_anywhere_equals_the_whole(text: str, cuts: list[int]) -> None:
    whole = LOOSE.pattern.sub(bracketed, text)
    places = sorted({0, len(text), *(c for c in cuts if c < len(text))})
    assert streamed([text[a:b] for a, b in itertools.pairwise(places)]) == whole
    assert streamed(list(text)) == whole


@given(text=FRAGMENTS)
def test_a_stream_cut_once_at_every_place_equals_the_whole(text: str) -> None:
    whole = LOOSE.pattern.sub(bracketed, text)
    for cut in range(len(text) + 1):
        assert streamed([text[:cut], text[cut:]]) == whole


@pytest.mark.parametrize("size", [MAX_PAYLOAD - 1, MAX_PAYLOAD, MAX_PAYLOAD + 1, 3 * MAX_PAYLOAD])
@pytest.mark.parametrize("end", ["]", "&#93;", " ", ""])
def test_the_longest_payload_in_a_stream_is_that_of_the_whole(end: str, size: int) -> None:
    text = f"x PERSON_[{'A' * size}{end} y"
    whole = LOOSE.pattern.sub(bracketed, text)
    for step in (1, 7, 1000):
        pieces = [text[i : i + step] for i in range(0, len(text), step)]
        assert streamed(pieces) == whole


@pytest.mark.parametrize("opener", ["see section [", "see sections ("])
def test_plain_text_is_never_held_back(opener: str) -> None:
    replacer = StreamReplacer(LOOSE, bracketed)
    assert replacer.feed(opener) == opener
    assert replacer.feed("12] of the report") == "12] of the report"


def test_no_more_is_held_back_than_the_longest_token() -> None:
    for filling in ("A", "7", "A b", "PERSON_[", "PERSON_", "A" * 500 + " "):
        replacer, fed, given_out = StreamReplacer(LOOSE, bracketed), 0, 0
        for piece in ["PERSON_[", *[filling] * (3 * LOOSE.longest // len(filling))]:
            fed += len(piece)
            given_out += len(replacer.feed(piece))
            assert fed - given_out <= LOOSE.longest


def test_a_long_text_after_a_stray_opening_takes_linear_time() -> None:
    """Searching all that is held with every character took some 40 times as long."""

    def seconds(text: str) -> float:
        began = process_time()
        streamed(list(text))
        return process_time() - began

    stray = "PERSON_[" + "A" * 4000
    plain = "She felt better after the second week. " * 103
    assert min(seconds(stray) for _ in range(3)) < 6 * min(seconds(plain) for _ in range(3))


DAMAGED = {
    "as it stands": ADA,
    "lower case": ADA.replace("PERSON", "person"),
    "white space": f"{ADA[:30]}\n  {ADA[30:]}",
    "two gaps": f"{ADA[:20]} {ADA[20:40]} {ADA[40:]}",
    "space at the brackets": f"PERSON_[ {ADA[8:-1]} ]",
    "no closing bracket": ADA[:-1],
    "markdown": ADA.replace("_[", "\\_\\[").replace("]", "\\]"),
    "html": ADA.replace("[", "&#91;").replace("]", "&#93;"),
    "html names": ADA.replace("[", "&lsqb;").replace("]", "&rsqb;"),
    "dots": ADA.replace("]", "...]"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_the_loose_grammar_finds_damaged_tokens_whole(name: str) -> None:
    text = f"Dr {DAMAGED[name]}, {BERN}"
    assert [match.group() for match in LOOSE.pattern.finditer(text)] == [DAMAGED[name], BERN]


@pytest.mark.parametrize(
    "text",
    [
        "PERSON [1] and person_ [2]",
        "[PERSON_1] wrote to [LOCATION_2]",
        "PERSON_[ and then, after an opening, plain words",
        "the array page_index[0]",
        "PERSON_[short",
        "ſource_[x]",
    ],
)
def test_the_loose_grammar_leaves_other_text(text: str) -> None:
    assert not LOOSE.pattern.search(text)


def test_only_one_type_ends_with_another() -> None:
    """Text before a token could turn it into a token of another type; `examine` looks for both."""
    pairs = {(a, b) for a in EntityType for b in EntityType if a != b and a.endswith(b)}
    assert pairs == {(EntityType.NATIONAL_ID, EntityType.ID)}


@pytest.mark.parametrize("entity_type", EntityType)
def test_every_type_has_tokens_in_every_grammar(entity_type: EntityType) -> None:
    token = CIPHER.encrypt("Ada", entity_type)
    for pattern in (TOKEN, LOOSE.pattern):
        assert [m.group() for m in pattern.finditer(f"({token})")] == [token]


def test_the_readable_view_numbers_values_and_holds_no_ciphertext() -> None:
    view = readable_view(f"{ADA} wrote to {BERN} and {ADA}")
    assert view == "person 1 wrote to location 1 and person 1"


@given(st.text(st.sampled_from("PERSON_[]a "), max_size=30))
def test_a_text_that_has_no_token_by_its_signs_has_none(text: str) -> None:
    assert may_have_token(f"{text}{ADA}")
    assert may_have_token(text) or not TOKEN.search(text)
