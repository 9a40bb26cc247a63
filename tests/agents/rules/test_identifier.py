import asyncio
from collections import Counter

import pytest

from sage_rag.agents.rules.identifier import RuleIdentifier
from sage_rag.common.exceptions import InputError

MEDICAL = {
    "question": "My stomach hurts and the tablets for the infection do not help, doctor.",
    "answer": "Take the antibiotic for seven days and see a physician if the fever stays.",
}
OTHER = {
    "question": "How do I change the chain of my bicycle without special tools at home?",
    "answer": "Put it on the smallest ring, open the link with pliers and pull it off.",
}


def identify(protect, *records):
    return asyncio.run(RuleIdentifier().identify([protect(r).protected for r in records]))


def test_a_medical_dialogue_has_five_attributes_a_side(protect):
    found = identify(protect, MEDICAL)
    assert Counter(a.field for a in found.entries) == {"question": 5, "answer": 5}


def test_any_other_dialogue_has_both_sides(protect):
    found = identify(protect, OTHER)
    assert {a.field for a in found.entries} == {"question", "answer"}
    assert "symptoms" not in {a.name for a in found.entries}


def test_the_sides_may_have_other_names(protect):
    found = identify(protect, {"doctor": MEDICAL["answer"], "patient": MEDICAL["question"]})
    assert {a.field for a in found.entries if a.name == "symptoms"} == {"patient"}


def test_a_document_has_three_attributes(protect):
    assert [a.field for a in identify(protect, {"text": "The mill burned down."}).entries] == [
        "text"
    ] * 3


def test_names_are_unique_where_there_are_several_fields(protect):
    found = identify(protect, {**MEDICAL, "title": "Stomach", "note": "None"})
    assert len({a.name for a in found.entries}) == len(found.entries)
    assert {a.field for a in found.entries} == {"question", "answer", "title", "note"}


def test_without_samples_there_is_an_error_with_a_hint():
    with pytest.raises(InputError) as caught:
        asyncio.run(RuleIdentifier().identify([]))
    assert caught.value.hint
