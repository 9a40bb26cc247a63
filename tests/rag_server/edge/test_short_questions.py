"""Short questions: what is sent in clear, what as a value, and what is searched."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from sage_rag.privacy.blind_index import PartWords
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import DecryptionError
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.lookup import Lookup, all_parts, sealed_lookup
from sage_rag.privacy.policy import preset
from sage_rag.privacy.spans import Span
from sage_rag.privacy.tokens import TOKEN
from sage_rag.rag_server.edge.index_lookup import IndexLookup
from sage_rag.rag_server.edge.keyring import CorpusKeys
from sage_rag.rag_server.edge.short_questions import ShortQuestionRecognizer

KEYS = Keyset.generate()
CIPHER = default_cipher(KEYS, "clinic")
INDEX = all_parts(KEYS, "clinic")
PEOPLE = (
    "Lars Lindqvist",
    "Harold Young",
    "Agnieszka Wieczorek",
    "Agnieszka Nowak",
    "Grace Eze",
    "Ingram Tull",
)
TOKENS = [
    *(CIPHER.encrypt(name, EntityType.PERSON) for name in PEOPLE),
    CIPHER.encrypt("14 Tanyard Lane, Kinsale", EntityType.LOCATION),
    CIPHER.encrypt("Harbour Street Surgery", EntityType.ORGANIZATION),
    CIPHER.encrypt("K-77", EntityType.ID),
    CIPHER.encrypt("the van, GX-9031", EntityType.LOCATION),
]
TEXTS = [
    "gout of the toe",
    "the knee",
    "a knee is warm",
    "rest the knee",
    "young people, with grace",
    "TSH by machine D25 in 1998, error 38-112, sample K-77",
    "The grey fall harbour was in the book, with nosema.",
]
SEALED = sealed_lookup(TEXTS, TOKENS, KEYS, "clinic")


class Marked:
    """Finds the values that a test marks."""

    fingerprint = "marked"

    def __init__(self, **values: EntityType) -> None:
        self.values = {name.replace("_", " "): t for name, t in values.items()}

    def recognize(self, text: str) -> list[Span]:
        return [
            Span(at, at + len(value), entity_type)
            for value, entity_type in self.values.items()
            if (at := text.lower().find(value)) >= 0
        ]


def keys(sealed: bytes | None = SEALED, policy=None, **values) -> CorpusKeys:
    found = CorpusKeys("clinic", KEYS, Marked(**values), policy or preset("soe-all"))
    found.use_lookup(sealed)
    return found


class Twice:
    """Finds a name and words next to it as a person, and the same as a firm."""

    fingerprint = "twice"

    def recognize(self, text: str) -> list[Span]:
        return [Span(0, len(text), PERSON), Span(0, len(text), FIRM)]


def test_a_name_under_two_types_is_without_the_words_next_to_it() -> None:
    found = CorpusKeys("clinic", KEYS, Twice(), preset("soe-all"))
    found.use_lookup(SEALED)
    assert shown(found.pseudonymize("lars lindqvist knee")) == "<PERSON lars lindqvist> knee"


def shown(sent: str) -> str:
    """Return what is sent, with values in angle brackets."""
    return TOKEN.sub(lambda m: f"<{m.group(1)} {CIPHER.decrypt(m.group())}>", sent)


PERSON, PLACE, FIRM = EntityType.PERSON, EntityType.LOCATION, EntityType.ORGANIZATION
MISC = EntityType.MISC


@pytest.mark.parametrize(
    ("question", "values", "sent"),
    [
        # A word of the index that is no one's name is a word.
        ("gout", {"gout": FIRM}, "gout"),
        ("Gout", {"gout": FIRM}, "Gout"),
        # A group or an event is a word if all its words are; a date is never one.
        ("is the knee warm", {"knee": MISC}, "is the knee warm"),
        ("lindqvist knee", {"lindqvist_knee": MISC}, "<PERSON lindqvist> knee"),
        ("Lindqvist Knee", {"lindqvist_knee": MISC}, "<MISC Lindqvist Knee>"),
        ("lindqvist kabaddi", {"lindqvist_kabaddi": MISC}, "<PERSON lindqvist kabaddi>"),
        (
            "the ballad of lindqvist",
            {"the_ballad_of_lindqvist": MISC},
            "<MISC the ballad of lindqvist>",
        ),
        ("is the kabaddi knee warm", {"kabaddi_knee": MISC}, "is the <MISC kabaddi knee> warm"),
        ("the knee in toe", {"toe": EntityType.DATE_TIME}, "the knee in <DATE_TIME toe>"),
        ("mr lindqvist knee", {"mr_lindqvist_knee": PERSON}, "<PERSON mr lindqvist> knee"),
        ("knee lindqvist", {"knee_lindqvist": PERSON}, "knee <PERSON lindqvist>"),
        # A word of the index that is part of a value is a value.
        ("young", {"young": PERSON}, "<PERSON young>"),
        # A word that no lexicon has, and that the index writes in lower case, is a word.
        ("lindqvist nosema", {"lindqvist_nosema": PERSON}, "<PERSON lindqvist> nosema"),
        ("WHEN DOES LINDQVIST KNEE", {"knee": PERSON}, "WHEN DOES <PERSON LINDQVIST> KNEE"),
        # A private code is without the words next to it.
        ("what is k-99 knee", {"k-99_knee": EntityType.ID}, "what is <ID k-99> knee"),
        ("k-99 invoice", {"k-99_invoice": EntityType.ID}, "<ID k-99> invoice"),
        ("k-99 keller", {"k-99_keller": EntityType.ID}, "<ID k-99 keller>"),
        # A person of the index that was taken for a part of a code is a person.
        ("lindqvist a1c", {"lindqvist_a1c": EntityType.ID}, "<PERSON lindqvist> <ID a1c>"),
        ("lindqvist K-77", {"lindqvist_k-77": EntityType.ID}, "<PERSON lindqvist> <ID K-77>"),
        ("grace", {"grace": PERSON}, "<PERSON grace>"),
        (
            "harbour street surgery",
            {"harbour_street_surgery": FIRM},
            "<ORGANIZATION harbour street surgery>",
        ),
        # A word that the index does not hold in clear stays hidden.
        ("scabies", {"scabies": FIRM}, "<ORGANIZATION scabies>"),
        # So does a word after a title, and one with a capital inside a sentence.
        ("mr knee", {"mr_knee": PERSON}, "<PERSON mr knee>"),
        ("ask Knee", {"knee": PERSON}, "ask <PERSON Knee>"),
        # An abbreviation of the index next to a name is a word, under whatever type.
        ("lindqvist tsh", {"lindqvist_tsh": PERSON}, "<PERSON lindqvist> tsh"),
        ("lindqvist tsh", {"lindqvist_tsh": FIRM}, "<PERSON lindqvist> tsh"),
        ("TSH Lindqvist", {"tsh_lindqvist": FIRM}, "TSH <PERSON Lindqvist>"),
        ("lindqvist D25", {"lindqvist_d25": EntityType.ID}, "<PERSON lindqvist> D25"),
        ("tsh", {"tsh": FIRM}, "tsh"),
        # With one capital it may be a name; an unknown name keeps what is next to it.
        ("ask Tsh", {"tsh": PERSON}, "ask <PERSON Tsh>"),
        ("keller tsh", {"keller_tsh": FIRM}, "<ORGANIZATION keller tsh>"),
        # A name that is a word is one in an index that writes it in lower case, once.
        ("is the fall in the book", {"fall": PERSON}, "is the fall in the book"),
        # Next to a person, a word of an organisation's name is a word; alone it is a value.
        ("lindqvist harbour", {"lindqvist_harbour": PERSON}, "<PERSON lindqvist> harbour"),
        ("harbour", {"harbour": FIRM}, "<ORGANIZATION harbour>"),
        # A name that the recognizer missed is hidden, if it is no ordinary word.
        ("lindqvist gout", {}, "<PERSON lindqvist> gout"),
        ("tanyard", {}, "<LOCATION tanyard>"),
        ("young people", {}, "young people"),
        # Also an ordinary word that the index has as a name alone, and its plural.
        ("tull collar bone", {}, "<PERSON tull> collar bone"),
        ("TULL", {}, "<PERSON TULL>"),
        ("the tulls and the lindqvists", {}, "the <PERSON tull>s and the <PERSON lindqvist>s"),
        ("a quill", {}, "a quill"),
        # A code that the index holds in clear is sent so, and no other one.
        ("what is TSH", {"tsh": EntityType.ID}, "what is TSH"),
        ("error 38-112", {"38-112": EntityType.ID}, "error 38-112"),
        ("error 38-113", {"38-113": EntityType.ID}, "error <ID 38-113>"),
        ("error D25 38-112", {"d25 38-112": EntityType.ID}, "error D25 38-112"),
        ("error D25 38-113", {"d25 38-113": EntityType.ID}, "error D25 <ID 38-113>"),
        # Nor a number alone, a name, or what is a private code of another record.
        ("number 1998", {"1998": EntityType.ID}, "number <ID 1998>"),
        ("code young", {"young": EntityType.ID}, "code <ID young>"),
        ("patient K-77", {"k-77": EntityType.ID}, "patient <ID K-77>"),
        # A private code that was taken for a title is one; a code of the index is sent in clear.
        ("knee 4t19 warm", {"knee 4t19": MISC}, "knee <ID 4t19> warm"),
        ("gout d25", {"gout d25": MISC}, "<MISC gout d25>"),
        ("5th knee", {"5th knee": MISC}, "<MISC 5th knee>"),
        ("kabaddi 4t19", {"kabaddi 4t19": MISC}, "<MISC kabaddi 4t19>"),
        # Other types are left as the recognizer found them.
        ("the knee", {"knee": EntityType.CASE_NUMBER}, "the <CASE_NUMBER knee>"),
    ],
)
def test_words_and_values_of_a_short_question(question, values, sent):
    assert shown(keys(**values).pseudonymize(question)) == sent


def test_a_known_name_needs_to_be_a_common_word_of_the_index():
    rare = sealed_lookup(["the knee", "gout"], TOKENS, KEYS, "clinic")
    assert shown(keys(knee=PERSON).pseudonymize("knee")) == "knee"
    assert shown(keys(rare, knee=PERSON).pseudonymize("knee")) == "<PERSON knee>"


def test_without_a_lookup_all_that_is_recognised_is_hidden():
    assert shown(keys(None, gout=FIRM).pseudonymize("gout")) == "<ORGANIZATION gout>"


def test_a_lookup_of_another_key_is_refused_and_not_used():
    forged = sealed_lookup(["lindqvist"] * 3, [], Keyset.generate(), "clinic")
    found = keys(lindqvist=PERSON)
    with pytest.raises(DecryptionError):
        found.use_lookup(forged)
    assert shown(found.pseudonymize("gout lindqvist")) == "gout <PERSON lindqvist>"


def searched(found: CorpusKeys, question: str) -> set[str]:
    return set(found.search_words(found.pseudonymize(question)))


def whole(value: str, entity_type: EntityType) -> str:
    return INDEX.words(value, entity_type)[0]


def test_a_first_name_alone_searches_everyone_who_has_it():
    words = searched(keys(), "agnieszka")
    assert {whole(name, PERSON) for name in PEOPLE[2:4]} <= words
    assert whole("Lars Lindqvist", PERSON) not in words


def test_a_full_name_searches_one_person():
    words = searched(keys(agnieszka_nowak=PERSON), "agnieszka nowak")
    assert whole("Agnieszka Wieczorek", PERSON) not in words


def test_a_part_of_an_address_searches_the_address():
    words = searched(keys(), "14 tanyard lane")
    assert whole("14 Tanyard Lane, Kinsale", PLACE) in words


def test_a_value_is_searched_under_the_type_that_the_index_has():
    words = searched(keys(lindqvist=FIRM), "lindqvist")
    assert whole("Lars Lindqvist", PERSON) in words


def test_an_ordinary_word_inside_a_name_does_not_hide_the_person():
    words = searched(keys(lindqvist_mole=FIRM), "lindqvist mole")
    assert whole("Lars Lindqvist", PERSON) in words


def test_another_persons_family_name_does_not_find_everyone_with_the_first_name():
    words = searched(keys(agnieszka_kowalska=PERSON), "agnieszka kowalska")
    assert whole("Agnieszka Nowak", PERSON) not in words


def test_a_policy_without_search_by_parts_searches_no_parts():
    exact = replace(preset("soe-all"), part_words=PartWords.NONE)
    assert whole("Agnieszka Nowak", PERSON) not in searched(keys(policy=exact), "agnieszka")


def test_a_name_that_many_have_is_not_expanded():
    crowd = [
        CIPHER.encrypt(f"Maria Nr{chr(97 + i // 26)}{chr(97 + i % 26)}", PERSON) for i in range(65)
    ]
    found = keys(sealed_lookup(TEXTS, crowd, KEYS, "clinic"))
    assert len(searched(found, "what did maria say")) <= 2


def test_each_word_of_a_name_is_searched_as_the_tokens_that_have_it():
    own = keys(agnieszka_wieczorek=EntityType.PERSON)
    asked = own.pseudonymize("How is Agnieszka Wieczorek?")
    both = tuple(sorted((TOKENS[2], TOKENS[3])))
    assert set(own.search_groups(asked)) == {both, (TOKENS[2],)}


def test_a_code_that_the_index_has_in_a_place_is_read_as_one():
    own = keys(**{"gx-9031": EntityType.ID})
    asked = own.pseudonymize("who owns gx-9031")
    assert shown(asked) == "who owns <LOCATION gx-9031>"
    assert INDEX.words("the van, GX-9031", PLACE)[0] in own.search_words(asked)


def test_a_code_that_was_taken_for_a_place_is_a_code_where_no_place_has_it():
    own = keys(**{"k-77": EntityType.LOCATION, "tanyard": EntityType.LOCATION})
    assert shown(own.pseudonymize("what fell in k-77")) == "what fell in <ID k-77>"
    assert shown(own.pseudonymize("what fell in tanyard")) == "what fell in <LOCATION tanyard>"


def test_a_code_is_searched_under_each_type_of_code():
    own = keys(**{"k-77": EntityType.CASE_NUMBER})
    words = own.search_words(own.pseudonymize("result of k-77"))
    assert INDEX.words("K-77", EntityType.ID)[0] in words


def test_a_value_is_searched_under_each_type_of_name():
    own = keys(tanyard=EntityType.ORGANIZATION)
    assert own.search_groups(own.pseudonymize("at Tanyard")) == ((TOKENS[6],),)


def test_no_token_is_searched_without_a_lookup_or_where_the_policy_forbids_parts():
    none = replace(preset("soe-all"), part_words=PartWords.NONE)
    for own in (
        keys(None, wieczorek=EntityType.PERSON),
        keys(policy=none, wieczorek=EntityType.PERSON),
    ):
        assert own.search_groups(own.pseudonymize("Wieczorek")) == ()


def test_a_word_that_is_sent_in_clear_brings_no_tokens():
    own = keys()
    asked = own.pseudonymize("young people")
    assert (asked, own.search_groups(asked)) == ("young people", ())


def test_a_name_gets_the_type_that_it_has_in_the_index():
    own = keys(
        **{"harbour street surgery": EntityType.PERSON, "agnieszka nowak": EntityType.PERSON}
    )
    assert own.pseudonymize("Harbour Street Surgery") == TOKENS[7]
    assert own.pseudonymize("Agnieszka Nowak") == TOKENS[3]


def test_a_long_text_is_searched_for_capitals_once_not_for_each_name() -> None:
    class Counted(str):
        asked = 0

        def isupper(self) -> bool:
            self.asked += 1
            return super().isupper()

    index = IndexLookup(Lookup.open(SEALED, KEYS, "clinic"), INDEX)
    text = Counted("YOUNG KNEE " * 50)
    spans = ShortQuestionRecognizer(EveryName(), index).recognize(text)
    assert len(spans) == 50
    assert text.asked == 1


class EveryName:
    """Finds each "YOUNG"."""

    fingerprint = "every name"

    def recognize(self, text: str) -> list[Span]:
        return [Span(*m.span(), EntityType.PERSON) for m in re.finditer("YOUNG", text)]
