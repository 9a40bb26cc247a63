"""Religion, politics, descent, union membership and orientation, and words that look like them."""

from __future__ import annotations

import pytest

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.special_categories import SpecialCategoryRecognizer
from sage_rag.privacy.spans import Span
from sage_rag.privacy.testing import TableRecognizer

SPECIAL, DEMOGRAPHIC = EntityType.SPECIAL_CATEGORY, EntityType.DEMOGRAPHIC
ALONE = SpecialCategoryRecognizer(TableRecognizer({}))


def found(text: str, recognizer: SpecialCategoryRecognizer = ALONE) -> list[str]:
    spans = sorted(recognizer.recognize(text), key=lambda span: span.start)
    return [text[s.start : s.end] for s in spans if s.entity_type is SPECIAL]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("He is a Muslim and keeps bees.", ["Muslim"]),
        ("Both MUSLIMS and hindus came.", ["MUSLIMS", "hindus"]),
        ("They are Jehovah’s Witnesses.", ["Jehovah’s Witnesses"]),
        ("a Roman Catholic priest", ["Roman Catholic", "priest"]),
        ("She converted to Islam in May.", ["Islam"]),
        ("He was raised as a Christian.", ["Christian"]),
        ("She voted for the Greens twice.", ["Greens"]),
        ("He voted for Labour.", ["Labour"]),
        ("a Conservative councillor from here", ["Conservative"]),
        ("She is politically conservative.", ["conservative"]),
        ("an old Marxist", ["Marxist"]),
        ("He is shop steward of the union at the plant.", ["shop steward", "union"]),
        ("She joined the union in May.", ["union"]),
        ("a member of the teachers' union", ["teachers' union"]),
        ("They are a Roma family.", ["Roma"]),
        ("a 45-year-old African-American man", ["African-American"]),
        ("an African American man", ["African American"]),
        ("I am a 34 year old asian male", ["asian"]),
        ("She is Kurdish.", ["Kurdish"]),
        ("The patient is a white male.", ["white"]),
        ("He's black.", ["black"]),
        ("of white British and Asian descent", ["white", "Asian"]),
        ("She was Orthodox and lived abroad.", ["Orthodox"]),
        ("Her mother was Polish and died young.", ["Polish"]),
        ("a Nigerian software engineer", ["Nigerian"]),
        ("people of Sri Lankan descent", ["Sri Lankan"]),
        ("My brother is gay.", ["gay"]),
        ("the lesbian couple next door", ["lesbian"]),
        ("被告人，回族，党员", ["回族", "党员"]),
    ],
)
def test_special_categories_are_found(text: str, values: list[str]) -> None:
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "Roman numeral II is on the label.",
        "He had German measles as a child.",
        "A Turkish bath helped him.",
        "What is your Christian name?",
        "Liberal use of cream helps.",
        "We recommend conservative treatment.",
        "Conservative management of the fracture.",
        "The Asian flu spread; Spanish flu patients died.",
        "Labour pains began; labour was long.",
        "green sputum and a black stool",
        "white patches on black skin",
        "white blood cells of the patient",
        "The stool is black.",
        "My skin was white and dry.",
        "a polish for the nails",
        "An orthodox treatment is better; Indian gooseberries help.",
        "The account is with the credit union.",
        "a member of the European Union",
        "He joined the credit union.",
        "the left wing of the house",
        "She lives on a German farm.",
        "a straight line; a party for a friend",
        "Greek yogurt and French toast",
        "Methodist Hospital called.",
        "水族馆和民族",
    ],
)
def test_other_meanings_are_left_alone(text: str) -> None:
    assert found(text) == []


def test_what_the_tagger_says_of_a_person_is_taken() -> None:
    tagged = SpecialCategoryRecognizer(TableRecognizer({"German": DEMOGRAPHIC}))
    assert found("The German left early.", tagged) == ["German"]
    assert found("She had German measles.", tagged) == []
    assert found("The German left early.") == []


def test_a_longer_span_of_the_tagger_gives_up_the_special_word_alone() -> None:
    text = "the Catholic school teacher of Ada"
    recognizer = SpecialCategoryRecognizer(
        TableRecognizer({"Catholic school teacher of": DEMOGRAPHIC, "Ada": EntityType.PERSON})
    )
    spans = {(text[s.start : s.end].strip(), s.entity_type) for s in recognizer.recognize(text)}
    assert spans == {
        ("Ada", EntityType.PERSON),
        ("Catholic", SPECIAL),
        ("school teacher of", DEMOGRAPHIC),
    }


def test_spans_of_other_types_stay() -> None:
    recognizer = SpecialCategoryRecognizer(
        TableRecognizer({"Jewish Museum": EntityType.ORGANIZATION})
    )
    assert Span(4, 17, EntityType.ORGANIZATION) in recognizer.recognize("the Jewish Museum")


def test_the_fingerprint_contains_the_inner_one() -> None:
    assert TableRecognizer({}).fingerprint in ALONE.fingerprint


def test_the_rest_of_a_description_has_no_spaces_at_its_edges() -> None:
    recognizer = SpecialCategoryRecognizer(TableRecognizer({"a Kurdish baker": DEMOGRAPHIC}))
    text = "He is a Kurdish baker from here."
    spans = recognizer.recognize(text)
    assert {(text[s.start : s.end], s.entity_type) for s in spans} == {
        ("Kurdish", SPECIAL),
        ("baker", DEMOGRAPHIC),
    }
