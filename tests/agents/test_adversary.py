"""The adversary: what it is shown, and which of its guesses are right."""

from __future__ import annotations

import asyncio
import json

import pytest

from agents.adversary import Guess, Inferred, ModelAdversary, confirmed
from agents.exceptions import AgentOutputError
from agents.protocols import Draft, Review
from agents.testing import ScriptedChatModel
from privacy.ciphers.siv import SivCipher
from privacy.entities import EntityType
from privacy.keyset.keyset import Keyset
from privacy.policy import preset
from privacy.protect import Protection, Protector
from privacy.testing import TableRecognizer

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
DRAFT = Draft({"text": "A colleague of mine teaches little ones near the northern ferry."})


@pytest.fixture(scope="module")
def protection() -> Protection:
    cipher = SivCipher(Keyset.generate(), "town")
    return Protector(TableRecognizer(VALUES), preset("soe-all"), cipher).protect({"text": TEXT})


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
    assert confirmed([Guess(attribute, value)], protection) == (Inferred(attribute),)


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
    assert confirmed([Guess(attribute, value)], protection) == ()


def test_a_record_without_protected_values_has_nothing_to_infer() -> None:
    cipher = SivCipher(Keyset.generate(), "town")
    bare = Protector(TableRecognizer({}), preset("soe-all"), cipher).protect({"text": TEXT})
    assert confirmed([Guess("place", "Tornby"), Guess("age", "52")], bare) == ()


def test_neither_guesses_nor_findings_show_a_value(protection: Protection) -> None:
    guess = Guess("place", "Tornby", "northern ferry")
    (found,) = confirmed([guess, guess], protection)
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
    review = asyncio.run(ModelAdversary(model).against(protection)(DRAFT))
    assert not review.safe
    assert len(review.suggestions) == 1
    assert "northern ferry" in review.suggestions[0]
    shown = "".join(message.content for message in model.asked[0])
    assert "northern ferry" in shown
    assert [value for value in VALUES if value in shown] == []
    assert "PERSON_1" not in shown


def test_evidence_that_is_not_of_the_draft_is_left_out(protection: Protection) -> None:
    model = ScriptedChatModel([answer(("place", "Tornby", "Mara Quist lives there"))])
    (guess,) = asyncio.run(ModelAdversary(model).infers(DRAFT))
    assert guess == Guess("place", "Tornby", None)


def test_no_guess_or_wrong_guesses_are_safe(protection: Protection) -> None:
    for said in (answer(), answer(("place", "Norby", None))):
        model = ScriptedChatModel([said])
        assert asyncio.run(ModelAdversary(model).against(protection)(DRAFT)) == Review(True)


@pytest.mark.parametrize("bad", ["none", "[]", answer(("shoe size", "42", None)), "{}"])
def test_a_malformed_answer_twice_is_an_error_and_not_safe(bad: str) -> None:
    with pytest.raises(AgentOutputError):
        asyncio.run(ModelAdversary(ScriptedChatModel([bad, bad])).infers(DRAFT))
