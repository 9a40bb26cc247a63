"""A value that is known is found again, whatever stands around it."""

import re

import pytest

from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.occurrences import find_repetitions, unify_types, value_pattern
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.spans import Span
from sage_rag.privacy.testing import TableRecognizer


@pytest.mark.parametrize(
    ("value", "entity_type", "text", "found"),
    [
        ("Maria Keller", EntityType.PERSON, "Keller came", "Keller"),
        ("Maria Keller", EntityType.PERSON, "MARIA  KELLER came", "MARIA  KELLER"),
        ("Maria Keller", EntityType.PERSON, "M. Keller came", "M. Keller"),
        ("Maria Ann Keller", EntityType.PERSON, "seen by M.A.K. at 9", "M.A.K."),
        ("Maria Keller", EntityType.PERSON, "in MK units", None),
        ("Maria Keller", EntityType.PERSON, "the keller came", None),
        ("Maria Keller", EntityType.PERSON, "Kellermann came", None),
        ("Anna Graves", EntityType.PERSON, "Graves came", "Graves"),
        ("Anna Graves", EntityType.PERSON, "her Graves disease", None),
        ("Graves", EntityType.PERSON, "GRAVES' DISEASE", None),
        ("Parkinson", EntityType.PERSON, "Parkinson's disease", None),
        ("Parkinson", EntityType.PERSON, "Parkinson's letter", "Parkinson"),
        ("Keller", EntityType.PERSON, "Keller's disease", "Keller"),
        ("Graves", EntityType.PERSON, "Graves' fracture", "Graves"),
        ("Will", EntityType.PERSON, "he will come", None),
        ("Will", EntityType.PERSON, "WILL came", "WILL"),
        ("K. Li", EntityType.PERSON, "vitamin K", None),
        ("Port Alder", EntityType.LOCATION, "the port", None),
        ("Alder Mill Surgery", EntityType.ORGANIZATION, "at Alder Mill", "Alder Mill"),
        ("Alder Mill Surgery", EntityType.ORGANIZATION, "the alder mill", None),
        ("Thornfield Clinic", EntityType.ORGANIZATION, "the Thornfield team", "Thornfield"),
        ("THORNFIELD CLINIC", EntityType.ORGANIZATION, "Thornfield said", "Thornfield"),
        ("Thornfield Clinic", EntityType.ORGANIZATION, "a Clinic", None),
        ("Lower Quarrow", EntityType.LOCATION, "back in QUARROW", "QUARROW"),
        ("Lower Quarrow", EntityType.LOCATION, "on his Lower lip", None),
        ("Quarrow, Texas", EntityType.LOCATION, "in Texas", None),
        ("NHQT Clinic", EntityType.ORGANIZATION, "NHQT was low", None),
        ("+49 30 1234567", EntityType.PHONE_NUMBER, "49-30-1234567", "49-30-1234567"),
        ("42", EntityType.AGE, "bed 42", None),
        ("5", EntityType.ID, "ramipril 5 mg", None),
        ("E1", EntityType.ID, "unit E1", None),
        ("Tel", EntityType.ID, "Tel. to follow", None),
        ("K7P", EntityType.ID, "box K7P", "K7P"),
        ("Bob", EntityType.USERNAME, "user Bob", "Bob"),
        ("4471", EntityType.ID, "file 4471", "4471"),
        ("2019", EntityType.DATE_TIME, "in 2019", "2019"),
        ("9", EntityType.DATE_TIME, "Hb 11.9", None),
    ],
)
def test_what_counts_as_the_value(value, entity_type, text, found):
    expression = value_pattern(value, entity_type)
    match = re.search(expression, text) if expression else None
    assert (match.group() if match else None) == found


def test_an_initial_alone_is_not_looked_for():
    texts = {"q": "K asked", "a": "take vitamin K"}
    assert find_repetitions(texts, {"q": [Span(0, 1, EntityType.PERSON)], "a": []}) == {
        "q": [],
        "a": [],
    }


def test_a_name_told_in_one_field_is_hidden_in_the_others():
    recognizer = TableRecognizer({"my daughter Temitope": EntityType.PERSON})
    cipher = SivCipher(Keyset.generate(), "clinic")
    told = "Ask my daughter Temitope."
    fields = {"question": told, "answer": "Temitope, this is past morning sickness."}
    protected = Protector(recognizer, preset("soe-all"), cipher).protect(fields).protected
    assert "Temitope" not in protected.text
    assert "past morning sickness" in protected.text


def test_a_number_found_in_one_sentence_is_hidden_in_the_others():
    recognizer = TableRecognizer({"chart M-4471": EntityType.MEDICAL_RECORD})
    cipher = SivCipher(Keyset.generate(), "clinic")
    text = "See chart M-4471 for this. Old results: Chart M-4471, page 2."
    protected = Protector(recognizer, preset("soe-all"), cipher).protect({"text": text}).protected
    assert "4471" not in protected.text


def test_names_alone_can_be_looked_for():
    texts = {"": "Keller, 5 May. Keller, 5 May."}
    spans = [Span(0, 6, EntityType.PERSON), Span(8, 13, EntityType.DATE_TIME)]
    found = [span.start for span in find_repetitions(texts, {"": spans})[""]]
    assert found == [0, 15, 8, 23]
    assert len(find_repetitions(texts, {"": spans}, names_only=True)[""]) == 2


def test_what_a_policy_keeps_is_not_looked_for():
    recognizer = TableRecognizer({"Alder Mill": EntityType.ORGANIZATION})
    cipher = SivCipher(Keyset.generate(), "clinic")
    text = "Alder Mill is old. ALDER MILL closed."
    assert Protector(recognizer, preset("soe-pl"), cipher).pseudonymize(text) == text


def places(text, value, entity_type, score=0.6):
    found = re.finditer(re.escape(value), text)
    return [Span(*match.span(), entity_type, score) for match in found]


def test_a_value_has_one_type_in_a_record():
    texts = {"a": "Retta met Retta in Oro", "b": "RETTA left Oro"}
    spans = {
        "a": [
            *places(texts["a"], "Retta", EntityType.PERSON),
            Span(18, 22, EntityType.LOCATION, 1),
        ],
        "b": [
            *places(texts["b"], "RETTA", EntityType.LOCATION),
            *places(texts["b"], "Oro", EntityType.LOCATION),
        ],
    }
    types = {
        name: [s.entity_type for s in found] for name, found in unify_types(texts, spans).items()
    }
    assert types["b"] == [EntityType.PERSON, EntityType.LOCATION]
    assert {(s.start, s.end, s.score) for s in unify_types(texts, spans)["b"]} == {
        (s.start, s.end, s.score) for s in spans["b"]
    }


def test_the_surer_type_outvotes_as_many_others():
    text = "Kestrel and Kestrel"
    first, second = places(text, "Kestrel", EntityType.LOCATION, 0.5)
    sure = Span(second.start, second.end, EntityType.ORGANIZATION, 0.9)
    assert {s.entity_type for s in unify_types({"": text}, {"": [first, sure]})[""]} == {
        EntityType.ORGANIZATION
    }


def test_a_name_never_takes_a_type_that_is_only_made_coarser():
    text = "Nurse Georgia saw me. I flew to Georgia, and Georgia was warm."
    kinds = (EntityType.PERSON, EntityType.LOCATION, EntityType.LOCATION)

    class Mixed:
        fingerprint = "mixed"

        def recognize(self, _):
            places = re.finditer("Georgia", text)
            return [Span(*m.span(), kind, 0.6) for m, kind in zip(places, kinds, strict=True)]

    cipher = SivCipher(Keyset.generate(), "c")
    protected = (
        Protector(Mixed(), preset("hipaa-safe-harbor"), cipher).protect({"": text}).protected
    )
    assert "Georgia" not in protected.text


def test_other_types_keep_theirs():
    text = "4711 and 4711"
    spans = [Span(0, 4, EntityType.ID, 0.6), Span(9, 13, EntityType.PERSON, 0.9)]
    assert [s.entity_type for s in unify_types({"": text}, {"": spans})[""]] == [
        EntityType.ID,
        EntityType.PERSON,
    ]


def test_one_value_of_two_types_becomes_one_token():
    text = "Retta was seen. Later they flew to Retta. Retta left."
    first, second, third = (m.start() for m in re.finditer("Retta", text))

    class Mixed:
        fingerprint = "mixed"

        def recognize(self, _):
            kinds = (EntityType.PERSON, EntityType.LOCATION, EntityType.PERSON)
            return [
                Span(at, at + 5, kind, 0.6)
                for at, kind in zip((first, second, third), kinds, strict=True)
            ]

    keyset = Keyset.generate()
    protector = Protector(Mixed(), preset("sage"), SivCipher(keyset, "c"))
    hidden = protector.protect({"text": text}).protected.fields["text"]
    assert hidden.count("[PERSON_1]") == 3
