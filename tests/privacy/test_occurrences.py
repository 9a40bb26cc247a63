"""A value that is known is found again, whatever stands around it."""

import re

import pytest

from privacy.ciphers.siv import SivCipher
from privacy.entities import EntityType
from privacy.keyset.keyset import Keyset
from privacy.occurrences import repeated, spelling
from privacy.policy import preset
from privacy.protect import Protector
from privacy.spans import Span
from privacy.testing import TableRecognizer


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
        ("Will", EntityType.PERSON, "he will come", None),
        ("Will", EntityType.PERSON, "WILL came", "WILL"),
        ("K. Li", EntityType.PERSON, "vitamin K", None),
        ("Port Alder", EntityType.LOCATION, "the port", None),
        ("Alder Mill Surgery", EntityType.ORGANIZATION, "at Alder Mill", "Alder Mill"),
        ("Alder Mill Surgery", EntityType.ORGANIZATION, "the alder mill", None),
        ("Alder Surgery", EntityType.ORGANIZATION, "the Alder", None),
        ("+49 30 1234567", EntityType.PHONE_NUMBER, "49-30-1234567", "49-30-1234567"),
        ("42", EntityType.AGE, "bed 42", None),
    ],
)
def test_what_counts_as_the_value(value, entity_type, text, found):
    expression = spelling(value, entity_type)
    match = re.search(expression, text) if expression else None
    assert (match.group() if match else None) == found


def test_an_initial_alone_is_not_looked_for():
    texts = {"q": "K asked", "a": "take vitamin K"}
    assert repeated(texts, {"q": [Span(0, 1, EntityType.PERSON)], "a": []}) == {"q": [], "a": []}


def test_a_name_told_in_one_field_is_hidden_in_the_others():
    recognizer = TableRecognizer({"my daughter Temitope": EntityType.PERSON})
    cipher = SivCipher(Keyset.generate(), "clinic")
    told = "Ask my daughter Temitope."
    fields = {"question": told, "answer": "Temitope, this is past morning sickness."}
    protected = Protector(recognizer, preset("soe-all"), cipher).protect(fields).protected
    assert "Temitope" not in protected.text
    assert "past morning sickness" in protected.text


def test_what_a_policy_keeps_is_not_looked_for():
    recognizer = TableRecognizer({"Alder Mill": EntityType.ORGANIZATION})
    cipher = SivCipher(Keyset.generate(), "clinic")
    text = "Alder Mill is old. ALDER MILL closed."
    assert Protector(recognizer, preset("soe-pl"), cipher).pseudonymize(text) == text
