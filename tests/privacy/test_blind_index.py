import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.blind_index import BLIND_WORD, SIGN, BlindIndex, PartWords, index_terms
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType as T
from sage_rag.privacy.exceptions import DecryptionError
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.tokens import TOKEN

KEYSET = Keyset.generate()
ALL = BlindIndex(KEYSET, "clinic", PartWords.ALL)
FAMILY = BlindIndex(KEYSET, "clinic", PartWords.FAMILY)
NONE = BlindIndex(KEYSET, "clinic", PartWords.NONE)
VALUES = st.text(max_size=40)
TYPES = st.sampled_from([t for t in T if t not in (T.SOURCE, T.LITERAL)])


def parts(index: BlindIndex, value: str, entity_type: T = T.PERSON) -> set[str]:
    return set(index.words(value, entity_type)[1:])


@pytest.mark.parametrize(
    ("value", "entity_type", "whole", "found"),
    [
        ("Maria Keller", T.PERSON, "keller maria", ("maria", "keller")),
        ("Keller", T.PERSON, "keller", ("keller",)),
        ("Ms Keller", T.PERSON, "keller", ("keller",)),
        ("KELLER, Maria", T.PERSON, "keller maria", ("maria", "keller")),
        ("M. Keller", T.PERSON, "keller m", ("keller",)),
        ("Zoë Ødegård-Müller", T.PERSON, "muller odegard zoe", ("zoe", "odegard", "muller")),
        ("Nuala O’Shea", T.PERSON, "nuala oshea", ("nuala", "oshea")),
        ("Nuala O'Shea's", T.PERSON, "nuala oshea", ("nuala", "oshea")),
        ("Joost van den Ven", T.PERSON, "den joost van ven", ("joost", "ven")),
        ("Van", T.PERSON, "van", ("van",)),
        ("Bob Keller", T.PERSON, "keller robert", ("robert", "keller")),
        ("Bob", T.PERSON, "robert", ("robert",)),
        ("王小明", T.PERSON, "王小明", ("王", "小明")),
        ("欧阳修", T.PERSON, "欧阳修", ("欧阳", "修")),
        ("...", T.PERSON, "", ()),
        ("+353 20 915 0142", T.PHONE_NUMBER, "353209150142", ("209150142", "9150142")),
        ("020 915 0142", T.PHONE_NUMBER, "0209150142", ("209150142", "9150142")),
        ("915 0142", T.PHONE_NUMBER, "9150142", ("9150142",)),
        ("WN-2217", T.ID, "wn2217", ("2217",)),
        ("WN-17", T.ID, "wn17", ()),
        ("4000 0000 0000 0002", T.CREDIT_CARD, "4000000000000002", ("4000000000000002",)),
        ("14 Tanyard Lane, Kinsale", T.LOCATION, "14 tanyard lane kinsale", ("tanyard", "kinsale")),
        ("The Warta Clinic", T.ORGANIZATION, "the warta clinic", ("warta",)),
        ("Ada@Example.org", T.EMAIL_ADDRESS, "ada@example.org", ()),
        ("5 May 2024", T.DATE_TIME, "5 may 2024", ()),
    ],
)  # fmt: skip
def test_a_value_is_read_as_one_spelling_and_its_parts(value, entity_type, whole, found):
    assert index_terms(value, entity_type, PartWords.ALL) == (whole, found)


@pytest.mark.parametrize("question", ["Keller", "Ms Keller", "KELLER", "Keller's", "Anna Keller"])
@pytest.mark.parametrize("index", [ALL, FAMILY])
def test_a_family_name_meets_the_full_name(index, question):
    assert parts(index, question) & parts(index, "Maria Keller")


def test_a_given_name_meets_the_full_name_only_where_all_parts_have_words():
    assert parts(ALL, "Maria") & parts(ALL, "Maria Keller")
    assert not parts(FAMILY, "Maria") & parts(FAMILY, "Maria Keller")


def test_without_part_words_only_spellings_of_the_whole_meet():
    assert NONE.words("MARIA keller", T.PERSON) == NONE.words("Keller, Maria", T.PERSON)
    assert not set(NONE.words("Keller", T.PERSON)) & set(NONE.words("Maria Keller", T.PERSON))


def test_fewer_part_words_are_some_of_the_words_of_more():
    for value in ("Maria Keller", "Keller", "王小明"):
        none, family, every = (set(i.words(value, T.PERSON)) for i in (NONE, FAMILY, ALL))
        assert none < family <= every


def test_a_whole_value_is_no_part_so_an_exact_match_outranks():
    whole, *rest = ALL.words("Keller", T.PERSON)
    assert whole not in rest
    assert whole not in ALL.words("Maria Keller", T.PERSON)


@pytest.mark.parametrize(
    "other",
    [
        BlindIndex(KEYSET, "office", PartWords.ALL).words("Maria Keller", T.PERSON),
        BlindIndex(Keyset.generate(), "clinic", PartWords.ALL).words("Maria Keller", T.PERSON),
        ALL.words("Maria Keller", T.USERNAME),
        ALL.words("Vera Holm", T.PERSON),
    ],
    ids=["corpus", "key", "type", "value"],
)
def test_another_corpus_key_type_or_value_has_other_words(other):
    digests = [word.partition(SIGN)[2] for word in ALL.words("Maria Keller", T.PERSON)]
    assert not {word.partition(SIGN)[2] for word in other} & set(digests)


def test_a_corpus_id_cannot_end_where_the_word_of_another_begins():
    one = BlindIndex(KEYSET, "a", PartWords.NONE).words("part keller", T.MISC)
    two = BlindIndex(KEYSET, "apart", PartWords.NONE).words("keller", T.MISC)
    assert one != two


def test_words_are_made_under_the_key_asked_for():
    fresh = Keyset.generate()
    made = BlindIndex(fresh, "clinic").words("Maria Keller", T.PERSON)
    assert BlindIndex(fresh, "clinic").words("Maria Keller", T.PERSON, fresh.primary) == made


@given(VALUES, TYPES)
def test_every_word_fits_the_grammar_and_shows_nothing_of_the_value(value, entity_type):
    for word in ALL.words(value, entity_type):
        assert BLIND_WORD.fullmatch(word)
        assert re.fullmatch(rf"{entity_type}~[a-z2-7]{{16}}", word)


@given(VALUES, TYPES)
def test_case_and_spaces_do_not_matter(value, entity_type):
    ascii_value = value.encode("ascii", "ignore").decode()
    assert (
        ALL.words(ascii_value.upper(), entity_type)[:1]
        == (ALL.words(f"  {ascii_value.upper()} ", entity_type)[:1])
    )


@pytest.mark.parametrize("technical", [T.SOURCE, T.LITERAL])
def test_what_is_no_value_of_a_record_has_no_words(technical):
    assert ALL.words("Maria Keller", technical) == ()


def test_words_of_tokens_are_those_of_their_values_once_and_in_an_order_that_tells_nothing():
    cipher = SivCipher(KEYSET, "clinic")
    tokens = [cipher.encrypt(name, T.PERSON) for name in ("Maria Keller", "Keller", "Keller")]
    both = {*ALL.words("Maria Keller", T.PERSON), *ALL.words("Keller", T.PERSON)}
    assert ALL.words_of_tokens(tokens, cipher) == tuple(sorted(both))
    with pytest.raises(DecryptionError):
        ALL.words_of_tokens(["PERSON_[aaaa]"], cipher)


def test_a_token_holds_no_sign_and_a_word_is_no_token():
    token = SivCipher(KEYSET, "clinic").encrypt("Maria Keller", T.PERSON)
    assert SIGN not in token
    assert not TOKEN.search(ALL.words("Maria Keller", T.PERSON)[0])


def test_repr_shows_key_ids_only():
    assert repr(FAMILY) == f"BlindIndex(key_ids={list(KEYSET.key_ids)}, parts='family-names')"
