import asyncio

import pytest

from sage_rag.agents.protocols import Draft
from sage_rag.agents.rules.reviewer import RuleReviewer

RECORD = {
    "question": "My left ear has hurt since the flight and I hear a whistle whenever I lie down.",
    "answer": "Pressure can hurt the drum. Chew gum, and let a specialist look into the ear.",
}
SAFE = "Since a flight the ear hurts, with a whistle at rest. A specialist should look; chew gum."


def review(protect, text, record=RECORD):
    return asyncio.run(RuleReviewer().review(protect(record).protected, Draft({"text": text})))


def test_a_draft_in_its_own_words_is_safe(protect):
    assert review(protect, SAFE).safe


@pytest.mark.parametrize(
    ("added", "word"),
    [
        ("Write to someone@example.org.", "identifies"),
        ("Call 555 010 44 77 now.", "identifies"),
        ("I am a devout Muslim.", "sensitive"),
        ("I was in prison then.", "sensitive"),
        ("I am the only teacher here.", "single"),
        ("I have twins.", "single"),
    ],
)
def test_private_places_are_named_with_a_reason(protect, added, word):
    found = review(protect, f"{SAFE} {added}")
    assert not found.safe
    assert word in " ".join(found.suggestions)


def test_several_quasi_identifiers_link(protect):
    text = f"{SAFE} I am 41 years old, mother of three, and I work as a diver."
    assert any("point at one person" in s for s in review(protect, text).suggestions)


def test_a_draft_about_something_else_is_inconsistent(protect):
    found = review(protect, "The chain of a bicycle needs oil every hundred kilometres or so.")
    assert any(s.startswith("Keep more") for s in found.suggestions)


def test_placeholders_are_no_private_places(protect):
    assert review(protect, f"{SAFE} Ask [PERSON_1] or [PHONE_NUMBER_1].").safe


def test_what_a_record_keeps_naming_is_its_matter(protect):
    record = {"text": "He was convicted in May. The court of appeal found him rightly convicted."}
    assert review(protect, "Rightly convicted, said the court of appeal in May.", record).safe
