"""The tokens of values that share a word, in a sealed lookup."""

from __future__ import annotations

from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.lookup import MOST_TOKENS, Lookup, all_parts, sealed_lookup

KEYS = Keyset.generate()
CIPHER = default_cipher(KEYS, "clinic")
INDEX = all_parts(KEYS, "clinic")
LARS = CIPHER.encrypt("Lars Lindqvist", EntityType.PERSON)
INGRID = CIPHER.encrypt("Ingrid Lindqvist", EntityType.PERSON)
FIRM = CIPHER.encrypt("Lindqvist Brothers", EntityType.ORGANIZATION)
BOOK = CIPHER.encrypt("The Brother of the Sea", EntityType.MISC)
PHONE = CIPHER.encrypt("+49 30 1234567", EntityType.PHONE_NUMBER)


def tokens_of(word: str, entity_type: EntityType, *tokens: str) -> tuple[str, ...]:
    lookup = Lookup.open(sealed_lookup([], tokens, KEYS, "clinic"), KEYS, "clinic")
    [mark] = INDEX.stem_words(word, entity_type)
    return lookup.tokens.get(mark, ())


def test_a_word_leads_to_the_tokens_of_its_type_whose_values_have_it():
    every = (LARS, INGRID, FIRM, BOOK, PHONE)
    assert tokens_of("lindqvist", EntityType.PERSON, *every) == tuple(sorted((LARS, INGRID)))
    assert tokens_of("LINDQVIST", EntityType.ORGANIZATION, *every) == (FIRM,)


def test_words_are_compared_by_their_stems():
    assert tokens_of("brothers", EntityType.MISC, BOOK) == (BOOK,)
    assert tokens_of("brother", EntityType.ORGANIZATION, FIRM) == (FIRM,)


def test_general_words_and_numbers_have_no_tokens():
    assert INDEX.stem_words("the of", EntityType.MISC) == ()
    assert tokens_of("1234567", EntityType.PHONE_NUMBER, PHONE) == ()


def test_a_word_of_many_values_is_left_out():
    many = [CIPHER.encrypt(f"Lindqvist {n * 'a'}", EntityType.PERSON) for n in range(MOST_TOKENS)]
    assert len(tokens_of("lindqvist", EntityType.PERSON, *many)) == MOST_TOKENS
    assert tokens_of("lindqvist", EntityType.PERSON, LARS, *many) == ()


def test_an_older_lookup_has_none():
    empty = Lookup.open(Lookup({"gout": 1}).seal(KEYS, "clinic"), KEYS, "clinic")
    assert (empty.words, empty.tokens) == ({"gout": 1}, {})
