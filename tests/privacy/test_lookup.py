"""The sealed lookup: what it answers with a key, and what it withholds without one."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import DecryptionError
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.lookup import COMMON, ORDINARY, Lookup, all_parts, sealed_lookup

KEYS, OTHER = Keyset.generate(), Keyset.generate()
CIPHER = default_cipher(KEYS, "clinic")
LARS = CIPHER.encrypt("Lars Lindqvist", EntityType.PERSON)
LANE = CIPHER.encrypt("14 Tanyard Lane", EntityType.LOCATION)
PHONE = CIPHER.encrypt("+49 30 1234567", EntityType.PHONE_NUMBER)
TEXTS = [f"{LARS} has gout", "a knee", "the knee", "his Knee hurts", "knee"]


def sealed(tokens=(LARS, LANE, PHONE), texts=TEXTS) -> bytes:
    return sealed_lookup(texts, tokens, KEYS, "clinic")


def test_words_are_counted_by_passage_and_tokens_are_no_words():
    lookup = Lookup.open(sealed(), KEYS, "clinic")
    assert lookup.words["gout"] == 1
    assert lookup.words["knee"] == COMMON
    assert not any("person" in word for word in lookup.words)


def test_a_word_in_lower_case_is_common_where_names_have_capitals():
    texts = ["A Foot of Mr Young hurts.", "The young foot.", "lower case throughout, with rose"]
    words = Lookup.open(sealed(texts=texts), KEYS, "clinic").words
    assert (words["foot"], words["young"]) == (ORDINARY, ORDINARY)
    assert (words["mr"], words["rose"]) == (1, 1)


def test_abbreviations_are_codes_unless_a_name_has_them():
    lane = CIPHER.encrypt("INR Lane", EntityType.LOCATION)
    texts = ["Take the INR and TSH.", "ALL IN CAPITALS", "The GMFCSXY is A."]
    assert Lookup.open(sealed(texts=texts), KEYS, "clinic").codes == {"inr", "tsh"}
    assert Lookup.open(sealed([lane], texts), KEYS, "clinic").codes == {"tsh"}


def test_each_part_of_a_name_or_place_leads_to_the_whole_value():
    index = all_parts(KEYS, "clinic")
    values = Lookup.open(sealed(), KEYS, "clinic").values
    whole, *parts = index.words("Lars Lindqvist", EntityType.PERSON)
    assert [values[part] for part in parts] == [(whole,), (whole,)]
    assert values[whole] == (whole,)
    lane = index.words("14 Tanyard Lane", EntityType.LOCATION)
    assert values[lane[1]] == (lane[0],)


def test_other_types_are_not_in_it():
    index = all_parts(KEYS, "clinic")
    values = Lookup.open(sealed(), KEYS, "clinic").values
    assert not set(index.words("+49 30 1234567", EntityType.PHONE_NUMBER)) & set(values)


def test_no_value_is_in_it_in_clear():
    lookup = Lookup.open(sealed(), KEYS, "clinic")
    assert not {"lars", "lindqvist", "tanyard"} & {*lookup.words, *lookup.values}
    assert "gout" not in repr(lookup)


def test_without_the_key_it_is_unreadable_and_a_change_is_found():
    whole = sealed()
    assert b"gout" not in whole
    changed = whole[:-1] + bytes([whole[-1] ^ 1])
    for bad, keys, corpus in (
        (whole, OTHER, "clinic"),
        (whole, KEYS, "office"),
        (changed, KEYS, "clinic"),
        (b"", KEYS, "clinic"),
    ):
        with pytest.raises(DecryptionError):
            Lookup.open(bad, keys, corpus)


def test_a_grant_opens_it():
    grant = KEYS.grant([EntityType.PHONE_NUMBER])
    assert "gout" in Lookup.open(sealed(), grant, "clinic").words


@settings(deadline=None, max_examples=20)
@given(st.permutations([LARS, LANE, PHONE]), st.permutations(TEXTS))
def test_the_order_of_records_does_not_show(tokens, texts):
    assert sealed(tokens, texts) == sealed()


@pytest.mark.parametrize(
    "content",
    [
        *("no zlib", "no json", "[]", "{}", "[" * 5000, '{"words": [], "values": {}}'),
        '{"words": {}, "values": {}, "tokens": [], "stems": {"a": [7]}}',
        '{"words": {}, "values": {}, "policy": {"name": 3}}',
    ],
)
def test_what_a_holder_of_a_key_sealed_instead_of_a_lookup_is_refused(content, monkeypatch):
    encoded = content.encode()
    packed = encoded if content == "no zlib" else zlib.compress(encoded)
    monkeypatch.setattr("sage_rag.privacy.lookup.zlib.compress", lambda *_: packed)
    made = Lookup().seal(KEYS, "clinic")
    monkeypatch.undo()
    with pytest.raises(DecryptionError, match="something else"):
        Lookup.open(made, KEYS, "clinic")
