"""The roles done by a model: what it is shown, and what becomes of bad answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from typing import TypeVar

import pytest

from agents.exceptions import AgentOutputError
from agents.model_roles import ModelAgent
from agents.prompts import ROLES, prompt
from agents.protocols import Attribute, Draft, Review
from agents.testing import ScriptedChatModel
from privacy.ciphers.siv import SivCipher
from privacy.entities import EntityType
from privacy.gate import Finding, FindingKind, Verdict
from privacy.keyset.keyset import Keyset
from privacy.policy import preset
from privacy.protect import ProtectedText, Protector
from privacy.testing import TableRecognizer

T = TypeVar("T")
ATTRIBUTES = (Attribute("complaint", "question", "what hurts"), Attribute("advice", "answer", ""))
DRAFT = Draft({"question": "A sore knee of [PERSON_1].", "answer": "Rest it."})


def record() -> ProtectedText:
    protector = Protector(
        TableRecognizer({"Ada Novak": EntityType.PERSON}),
        preset("sage"),
        SivCipher(Keyset.generate(), "clinic"),
    )
    return protector.protect({"question": "Ada Novak: my knee", "answer": "Rest"}).protected


def run(call: Awaitable[T]) -> T:
    async def wait() -> T:
        return await call

    return asyncio.run(wait())


def test_attributes_are_read_and_an_unknown_field_mended() -> None:
    answer = {"attributes": [{"name": "pain", "field": "question"}, {"name": "x", "field": "zz"}]}
    model = ScriptedChatModel([json.dumps(answer)])
    found = run(ModelAgent(model).identify([record()]))
    assert [(a.name, a.field) for a in found] == [("pain", "question"), ("x", "question")]


def test_the_model_sees_placeholders_only() -> None:
    model = ScriptedChatModel(['{"information": {"complaint": ["knee"]}}', '{"safe": true}'])
    agent = ModelAgent(model)
    run(agent.extract(record(), ATTRIBUTES))
    run(agent.review(record(), DRAFT))
    shown = "".join(m.content for messages in model.asked for m in messages)
    assert "[PERSON_1]" in shown
    assert "Ada" not in shown


def test_information_outside_the_attributes_is_left_out() -> None:
    model = ScriptedChatModel(['{"information": {"complaint": ["knee"], "secret": ["x"]}}'])
    assert run(ModelAgent(model).extract(record(), ATTRIBUTES)) == {"complaint": ["knee"]}


@pytest.mark.parametrize(
    "answer",
    [
        '{"question": "Q", "answer": "A"}',
        '```json\n{"question": "Q", "answer": "A"}\n```',
        'Here you are: {"question": "Q", "answer": "A"} Enjoy!',
    ],
)
def test_json_is_found_in_an_answer(answer: str) -> None:
    draft = run(ModelAgent(ScriptedChatModel([answer])).generate({"complaint": ["x"]}, ATTRIBUTES))
    assert draft == Draft({"question": "Q", "answer": "A"})


def test_a_malformed_answer_is_asked_for_once_more_with_the_reason() -> None:
    model = ScriptedChatModel(["I cannot do that.", '{"safe": false, "suggestions": ["reword"]}'])
    assert run(ModelAgent(model).review(record(), DRAFT)) == Review(False, ("reword",))
    assert "does not fit" in model.asked[1][-1].content


@pytest.mark.parametrize(
    "bad", ["", "no", "[]", '{"question": "only"}', '{"question": 1}', "{" * 99]
)
def test_twice_malformed_gives_the_record_up_without_quoting_it(bad: str) -> None:
    agent = ModelAgent(ScriptedChatModel([bad, bad]))
    with pytest.raises(AgentOutputError) as caught:
        run(agent.generate({"complaint": ["x"]}, ATTRIBUTES))
    assert "only" not in str(caught.value)


def test_the_rewriter_gets_findings_and_its_own_draft_but_no_original() -> None:
    model = ScriptedChatModel(['{"question": "Q", "answer": "A"}'])
    verdict = Verdict((Finding(FindingKind.SHARED_RUN, "repeats 10 words", 2, 11),), 10, 0.2)
    run(ModelAgent(model).rewrite(DRAFT, Review(False, ("change the order",)), verdict))
    request = model.asked[0][-1].content
    assert 'repeats 10 words: "sore knee"' in request
    assert "change the order" in request


@pytest.mark.parametrize("role", ROLES)
def test_every_prompt_loads_without_its_comment(role: str) -> None:
    assert "<!--" not in prompt(role).template
    assert "arXiv" not in prompt(role).template
