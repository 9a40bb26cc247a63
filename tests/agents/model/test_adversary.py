"""The adversary: what it is shown, and which of its guesses are right."""

from __future__ import annotations

import asyncio
import json

import pytest

from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.agents.model.adversary import (
    ConfirmedGuess,
    Guess,
    ModelAdversary,
    confirm,
    open_values,
)
from sage_rag.agents.protocols import Draft, Review
from sage_rag.agents.testing import ScriptedChatModel
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protection, Protector
from sage_rag.privacy.testing import TableRecognizer

VALUES = {
    "Mara Quist": EntityType.PERSON,
    "52-year-old": EntityType.AGE,
    "primary school teacher": EntityType.DEMOGRAPHIC,
    "widow": EntityType.DEMOGRAPHIC,
    "Tornby": EntityType.LOCATION,
    "Rasmus Holt College": EntityType.ORGANIZATION,
    "41,500 crowns": EntityType.QUANTITY,
}
TEXT = (
    "Mara Quist, a 52-year-old primary school teacher and widow from Tornby, once at "
    "Rasmus Holt College, earns 41,500 crowns."
)
RECOGNIZER = TableRecognizer(VALUES)
DRAFT = Draft({"text": "A colleague of mine teaches little ones near the northern ferry."})


@pytest.fixture(scope="module")
def protection() -> Protection:
    cipher = SivCipher(Keyset.generate(), "town")
    return Protector(RECOGNIZER, preset("soe-all"), cipher).protect({"text": TEXT})


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("age", "52"),
        ("age", "about 52 years"),
        ("place", "Tornby"),
        ("place", "the town of tornby, in the north"),
        ("place", "Holt College"),
        ("birthplace", "Tornby"),
        ("occupation", "teacher"),
        ("occupation", "Primary School Teacher"),
        ("sex", "female"),
        ("relationship", "a widow"),
        ("income", "41,500"),
        ("education", "Rasmus Holt College"),
    ],
)
def test_a_right_guess_is_a_finding(attribute: str, value: str, protection: Protection) -> None:
    assert confirm([Guess(attribute, value)], protection.identifiers) == (
        ConfirmedGuess(attribute),
    )


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("age", "50-59"),
        ("age", "53"),
        ("age", "middle-aged"),
        ("age", "Tornby"),
        ("place", "Norby"),
        ("place", "Torn"),
        ("place", "52"),
        ("birthplace", "Rasmus Holt College"),
        ("occupation", "nurse"),
        ("occupation", "school nurse"),
        ("sex", "male"),
        ("relationship", "married"),
        ("income", "41"),
        ("income", "high"),
        ("education", "a"),
        ("education", "..."),
    ],
)
def test_a_wrong_or_coarser_guess_is_none(
    attribute: str, value: str, protection: Protection
) -> None:
    assert confirm([Guess(attribute, value)], protection.identifiers) == ()


def test_a_record_without_protected_values_has_nothing_to_infer() -> None:
    cipher = SivCipher(Keyset.generate(), "town")
    bare = Protector(TableRecognizer({}), preset("soe-all"), cipher).protect({"text": TEXT})
    assert confirm([Guess("place", "Tornby"), Guess("age", "52")], bare.identifiers) == ()


@pytest.fixture(scope="module")
def by_default() -> Protection:
    """Protect under the default policy, which leaves trade, family and income in the text."""
    cipher = SivCipher(Keyset.generate(), "town")
    return Protector(RECOGNIZER, preset("sage"), cipher).protect({"text": TEXT})


def test_what_a_policy_leaves_is_found_and_nothing_that_it_replaced(by_default: Protection) -> None:
    left = open_values(by_default, RECOGNIZER)
    assert [i.value for i in left] == ["primary school teacher", "widow", "41,500 crowns"]
    assert [i.value for i in left if i.value in repr(left)] == []


def test_a_band_or_a_stand_in_is_not_what_the_policy_leaves() -> None:
    values = {
        "aged 93": EntityType.AGE,
        "90 or older": EntityType.AGE,
        "Tornby": EntityType.LOCATION,
    }
    recognizer = TableRecognizer(values)
    cipher = SivCipher(Keyset.generate(), "town")
    text = {"text": "She is aged 93."}
    protection = Protector(recognizer, preset("sage"), cipher).protect(text)
    assert "93" not in protection.protected.text
    assert open_values(protection, TableRecognizer({"90": EntityType.AGE})) == []


def test_a_value_as_coarse_as_the_policy_asks_is_left_beside_one_that_is_not() -> None:
    recognizer = TableRecognizer({"34": EntityType.AGE, "92": EntityType.AGE})
    protector = Protector(
        recognizer, preset("hipaa-safe-harbor"), SivCipher(Keyset.generate(), "town")
    )
    protection = protector.protect({"text": "I am 34 and a cook. My mother is 92."})
    assert [i.value for i in protection.identifiers] == ["92"]
    assert [i.value for i in open_values(protection, recognizer)] == ["34"]


LEFT_CASES = [
    ([("occupation", "teacher")], []),
    ([("sex", "woman")], []),
    ([("occupation", "teacher"), ("occupation", "school teacher")], []),
    ([("occupation", "nurse"), ("sex", "woman")], []),
    ([("occupation", "teacher"), ("sex", "woman")], ["occupation", "sex"]),
    ([("relationship", "widow"), ("income", "41,500")], ["relationship", "income"]),
    ([("place", "Tornby")], ["place"]),
    ([("place", "Tornby"), ("sex", "woman")], ["place", "sex"]),
    ([("age", "52"), ("sex", "male")], ["age"]),
    ([("age", "50")], []),
]


@pytest.mark.parametrize(("guessed", "expected"), LEFT_CASES)
def test_one_attribute_left_in_the_text_may_be_inferred_and_two_not(
    guessed: list[tuple[str, str]], expected: list[str], by_default: Protection
) -> None:
    left = open_values(by_default, RECOGNIZER)
    found = confirm([Guess(*g) for g in guessed], by_default.identifiers, left)
    assert [inferred.attribute for inferred in found] == expected


def test_the_attack_counts_what_the_default_policy_leaves(by_default: Protection) -> None:
    said = answer(("occupation", "teacher", "teaches"), ("sex", "a woman", None))
    model = ScriptedChatModel([said, answer(("occupation", "teacher", "teaches"))])
    infer = ModelAdversary(model).against(by_default, RECOGNIZER)
    review = asyncio.run(infer(DRAFT))
    assert not review.safe
    assert len(review.suggestions) == 2
    assert "teacher" not in "".join(review.suggestions)
    assert asyncio.run(infer(DRAFT)) == Review(True)


def test_neither_guesses_nor_findings_show_a_value(protection: Protection) -> None:
    guess = Guess("place", "Tornby", "northern ferry")
    (found,) = confirm([guess, guess], protection.identifiers)
    assert "Tornby" not in repr(guess) + repr(found) + found.suggestion
    assert found.suggestion.endswith('the place of the person: "northern ferry"')


def answer(*guesses: tuple[str, str, str | None]) -> str:
    names = ("attribute", "guess", "evidence")
    return json.dumps({"guesses": [dict(zip(names, g, strict=True)) for g in guesses]})


def test_the_adversary_sees_the_draft_alone_and_its_right_guesses_are_a_review(
    protection: Protection,
) -> None:
    said = answer(("place", "Tornby", "northern ferry"), ("age", "30", None))
    model = ScriptedChatModel([said])
    review = asyncio.run(ModelAdversary(model).against(protection, RECOGNIZER)(DRAFT))
    assert not review.safe
    assert len(review.suggestions) == 1
    assert "northern ferry" in review.suggestions[0]
    shown = "".join(message.content for message in model.asked[0])
    assert "northern ferry" in shown
    assert [value for value in VALUES if value in shown] == []
    assert "PERSON_1" not in shown


def test_evidence_that_is_not_of_the_draft_is_left_out(protection: Protection) -> None:
    model = ScriptedChatModel([answer(("place", "Tornby", "Mara Quist lives there"))])
    (guess,) = asyncio.run(ModelAdversary(model).guesses(DRAFT))
    assert guess == Guess("place", "Tornby", None)


def test_no_guess_or_wrong_guesses_are_safe(protection: Protection) -> None:
    for said in (answer(), answer(("place", "Norby", None))):
        model = ScriptedChatModel([said])
        assert asyncio.run(ModelAdversary(model).against(protection, RECOGNIZER)(DRAFT)) == Review(
            True
        )


@pytest.mark.parametrize("bad", ["none", "[]", answer(("shoe size", "42", None)), "{}"])
def test_a_malformed_answer_twice_is_an_error_and_not_safe(bad: str) -> None:
    with pytest.raises(AgentOutputError):
        asyncio.run(ModelAdversary(ScriptedChatModel([bad, bad])).guesses(DRAFT))
