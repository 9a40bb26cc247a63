"""All roles by one model: how many calls they take, and when drafts are made anew."""

from __future__ import annotations

import json

import pytest

from sage_rag.agents.attributes import load_attributes
from sage_rag.agents.model.domains import load_domain
from sage_rag.agents.model.roles import model_roles
from sage_rag.agents.prompts import prompt
from sage_rag.agents.protocols import Draft
from sage_rag.agents.testing import ScriptedChatModel
from sage_rag.agents.testing.model import ROLES
from tests.agents.stage_one import AskedModel, protected, run

RECORD = protected({"question": "Ada Novak: my knee hurts", "answer": "Rest, and no running."})
ATTRIBUTES = load_attributes("medical-dialogue", ("question", "answer"))
WRITTEN = {"question": "[PERSON_1] has a sore knee.", "answer": "Give it a rest."}
EXTRACTED = {"symptoms": ["sore knee of [PERSON_1]"], "treatment advised": ["rest"]}


async def drafted(model, *, joined: bool) -> Draft:
    roles = model_roles(model, joined=joined)
    extraction = await roles.extractor.extract(RECORD, ATTRIBUTES)
    return await roles.generator.generate(extraction, ATTRIBUTES)


@pytest.mark.parametrize(("joined", "calls"), [(True, 1), (False, 2)])
def test_a_draft_takes_one_call_or_two(joined: bool, calls: int) -> None:
    extracted = {"information": EXTRACTED}
    answers = [{**extracted, "record": WRITTEN}] if joined else [extracted, WRITTEN]
    model = ScriptedChatModel([json.dumps(answer) for answer in answers])
    assert run(drafted(model, joined=joined)) == Draft(WRITTEN)
    assert len(model.asked) == calls


def test_a_domain_reaches_writer_and_reviewer() -> None:
    domain = load_domain("finance")
    model = AskedModel(json.dumps({"information": EXTRACTED, "record": WRITTEN}), "no", "no")
    roles = model_roles(model, domain=domain)
    run(roles.extractor.extract(RECORD, ATTRIBUTES))
    with pytest.raises(Exception, match="does not fit"):
        run(roles.reviewer.review(RECORD, Draft(WRITTEN)))
    assert domain.writing in model.asked[0][0].content
    assert domain.reviewing in model.asked[1][0].content


def test_what_stage_one_depends_on_is_named_apart() -> None:
    model = AskedModel()
    plain, two, law = (
        model_roles(model, **options)
        for options in ({}, {"joined": False}, {"domain": load_domain("law")})
    )
    assert len({roles.drafting for roles in (plain, two, law)}) == 3
    assert len({roles.fingerprint for roles in (plain, two, law)}) == 3
    assert plain.drafting in plain.fingerprint
    assert plain.drafting != plain.fingerprint


@pytest.mark.parametrize("role", ROLES)
def test_every_prompt_loads_without_its_comment(role: str) -> None:
    assert "<!--" not in prompt(role).template
    assert "arXiv" not in prompt(role).template
