"""The baselines as roles: what a model is shown, and what becomes of its answers."""

from __future__ import annotations

import asyncio
import json

import pytest

from sage_rag.agents.attributes import format_attributes, parse_attributes
from sage_rag.agents.baselines import NEED_A_MODEL, PAIRS, baseline_roles
from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.agents.exceptions import AgentOutputError
from sage_rag.agents.protocols import Draft, Roles
from sage_rag.agents.testing import ScriptedChatModel
from sage_rag.common.exceptions import InputError
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import ProtectedText, Protector
from sage_rag.privacy.testing import TableRecognizer

QUESTION = (
    "My name is Ada Novak. I have had a swollen knee for two weeks. It hurts when I climb stairs. "
    "The weather was fine. Should I see a surgeon about the knee?"
)
ANSWER = "Rest the knee. Cool it twice a day. Thank you."


def record() -> ProtectedText:
    protector = Protector(
        TableRecognizer({"Ada Novak": EntityType.PERSON}),
        preset("sage"),
        SivCipher(Keyset.generate(), "clinic"),
    )
    return protector.protect({"question": QUESTION, "answer": ANSWER}).protected


def drafted(roles: Roles) -> Draft:
    async def run() -> Draft:
        attributes = await roles.identifier.identify([record()])
        extraction = await roles.extractor.extract(record(), attributes)
        return await roles.generator.generate(extraction, attributes)

    return asyncio.run(run())


def shown(model: ScriptedChatModel) -> str:
    return "\n".join(message.content for asked in model.asked for message in asked)


@pytest.mark.parametrize("method", sorted(NEED_A_MODEL))
def test_what_cannot_exist_without_a_model_says_so(method: str) -> None:
    with pytest.raises(InputError, match=f"recipe `{method}` needs a model") as error:
        baseline_roles(method, None)
    assert "\n" not in error.value.message


def test_the_rules_paraphrase_keeps_sentences_of_the_record_in_their_order() -> None:
    draft = drafted(baseline_roles("paraphrase", None))
    for name, text in record().fields.items():
        kept = draft.fields[name]
        places = [text.find(s.strip(" .?")) for s in kept.split(". ") if s]
        assert min(places) >= 0
        assert places == sorted(places)
        assert 0 < len(kept) < len(text)


@pytest.mark.parametrize("method", ["paraphrase", "checklist"])
def test_one_call_per_record_and_its_answer_is_the_draft(method: str) -> None:
    answer = {"question": "A knee of [PERSON_1] hurts.", "answer": "Rest it."}
    model = ScriptedChatModel([json.dumps(answer)])
    assert drafted(baseline_roles(method, model)).fields == answer
    assert len(model.asked) == 1
    assert "Ada" not in shown(model)


def test_zerogen_makes_questions_whose_answers_are_entities() -> None:
    pairs = [
        {"field": "question", "question": f"What is {i}?", "answer": f"e{i}"} for i in range(12)
    ]
    pairs[3]["field"] = "nonsense"
    model = ScriptedChatModel([json.dumps({"pairs": pairs})] * 2)
    roles = baseline_roles("zerogen", model)
    draft = drafted(roles)
    assert list(draft.fields) == ["question", "answer"]
    lines = draft.fields["question"].splitlines()
    assert len(lines) == PAIRS
    assert all(line.startswith("question: What is ") and " answer: e" in line for line in lines)
    assert draft == drafted(roles), "a run can be repeated"


def plans(messages: list[ChatMessage]) -> str:
    if "You plan" in messages[0].content:
        values = ["mild", "strong [PERSON_1]\nand new", "x" * 10]
        attributes = [
            {"name": "severity", "field": "question", "values": values},
            {"name": "tone", "field": "elsewhere", "values": values},
        ]
        return json.dumps({"attributes": attributes})
    return json.dumps({"question": "I feel unwell.", "answer": "Rest."})


def test_attrprompt_shows_no_record_to_the_model() -> None:
    model = ScriptedChatModel(plans)
    draft = drafted(baseline_roles("attrprompt", model))
    assert draft.fields == {"question": "I feel unwell.", "answer": "Rest."}
    assert len(model.asked) == 2
    for word in ("Novak", "swollen", "stairs", "PERSON_1"):
        assert word not in shown(model)


def test_attrprompts_attributes_survive_the_ledger() -> None:
    roles = baseline_roles("attrprompt", ScriptedChatModel(plans))
    attributes = asyncio.run(roles.identifier.identify([record()]))
    again = parse_attributes(format_attributes(attributes), ["question", "answer"])
    assert again == attributes
    assert {a.field for a in attributes.entries} == {"question", "answer"}


@pytest.mark.parametrize("method", ["paraphrase", "checklist", "zerogen", "attrprompt"])
def test_an_answer_that_does_not_fit_twice_is_given_up(method: str) -> None:
    model = ScriptedChatModel(lambda messages: "no JSON here")
    with pytest.raises(AgentOutputError):
        drafted(baseline_roles(method, model))
    assert len(model.asked) == 2


def test_every_method_and_model_has_a_fingerprint_of_its_own() -> None:
    model = ScriptedChatModel([])
    made = {baseline_roles(m, model).fingerprint for m in ("paraphrase", *NEED_A_MODEL)}
    made.add(baseline_roles("paraphrase", None).fingerprint)
    assert len(made) == 5
