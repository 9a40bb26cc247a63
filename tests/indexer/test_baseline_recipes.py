"""The baselines through the pipeline: what they publish, under which name, and what they leak."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sage_rag.agents.baselines import baseline_roles
from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.agents.testing import ScriptedChatModel
from sage_rag.indexer.passages import RECORDS
from sage_rag.indexer.recipes import RECIPES, recipe_called
from sage_rag.indexer.versions import current_path, open_version
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from tests.indexer.conftest import KEYSET, Run, passage_of

BASELINES = ("paraphrase", "checklist", "zerogen", "attrprompt")


def play(messages: list[ChatMessage]) -> str:
    """Answer each baseline's prompt as a dutiful model does."""
    system, user = messages[0].content, messages[1].content
    if "You plan" in system:
        values = {"name": "mood", "field": "question", "values": ["calm", "worried"]}
        return json.dumps({"attributes": [values]})
    if "You make up" in system:
        return json.dumps({"question": "What may I take for a cold?", "answer": "Tea, and rest."})
    if "write the\nquestion that it answers" in system:
        pairs = [
            {"field": f, "question": f"Who speaks in the {f}, please?", "answer": "[PERSON_1]"}
            for f in json.loads(user)
        ]
        return json.dumps({"pairs": pairs})
    return user


@pytest.mark.parametrize("recipe", BASELINES)
def test_a_baseline_publishes_under_the_identifiers_only_gate(
    run: Run, tmp_path: Path, recipe: str
) -> None:
    model = ScriptedChatModel(play)
    summary = run(recipe=recipe, roles=baseline_roles(recipe, model))
    assert (summary.published, summary.quarantined) == (20, 0)
    version = open_version(current_path(tmp_path / "home", "clinic"), verify=True)
    assert version.manifest.protection == "identifiers"
    assert version.manifest.recipe == recipe
    assert version.manifest.agents.startswith(f"{recipe}/model/scripted/")
    everything = b"".join(p.read_bytes() for p in (tmp_path / "home").rglob("*") if p.is_file())
    assert b"Ada " not in everything  # a token may hold the three letters by chance
    assert b"Novak" not in everything
    asked = len(model.asked)
    assert asked == (21 if recipe == "attrprompt" else 20)
    assert run(recipe=recipe, roles=baseline_roles(recipe, model)).resumed == 20
    assert len(model.asked) == asked


def test_paraphrase_works_with_rules_and_leaks_wording(run: Run, tmp_path: Path) -> None:
    run(recipe="paraphrase", roles=baseline_roles("paraphrase", None))
    version = open_version(current_path(tmp_path / "home", "clinic"))
    assert "complaint number 3 keeps me awake most nights" in passage_of(version, "doc-3").text
    report = json.loads((version.path / "report.json").read_text())
    assert report["wording"]["longest_run"]["max"] > 5


def test_a_made_up_record_is_nobodys(run: Run, tmp_path: Path) -> None:
    run(recipe="attrprompt", roles=baseline_roles("attrprompt", ScriptedChatModel(play)))
    version = open_version(current_path(tmp_path / "home", "clinic"))
    token = SivCipher(KEYSET, "clinic").encrypt("Ada Novakf", EntityType.PERSON)
    assert version.layers[RECORDS].search_lexical(token, 5) == []


def test_a_baseline_that_names_somebody_is_quarantined(run: Run) -> None:
    def blab(messages: list[ChatMessage]) -> str:
        fields = json.loads(play(messages))
        if "number 4 " in fields["question"]:
            fields["answer"] += " Yours, Ada Novakd"
        return json.dumps(fields)

    roles = baseline_roles("checklist", ScriptedChatModel(blab))
    summary = run(recipe="checklist", roles=roles)
    assert (summary.published, summary.quarantined) == (19, 1)
    assert "unprotected" in summary.reasons


def test_every_recipe_says_what_it_is() -> None:
    for name in BASELINES:
        assert "baseline" in RECIPES[name].summary
        assert not recipe_called(name).refine
        assert recipe_called(name).synthesize
