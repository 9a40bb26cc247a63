"""No stage's output changes under an old fingerprint."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path

import pytest

from sage_rag.agents.protocols import CorpusAttributes, Draft, Extraction
from sage_rag.agents.rules.generator import RuleGenerator
from tests.golden.stages import STAGES, Stage, StageOutput, complaint, read_recorded

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
_NEED_A_FOREIGN_MODEL = {"gliner", "spacy", "token_classifier", "nuextract"}
"""Recognizers over models that are not shipped."""


@pytest.mark.parametrize("name", STAGES)
def test_an_output_changes_only_with_its_version(name: str) -> None:
    said = complaint(name, STAGES[name], read_recorded().get(name, {}))
    assert not said, said


def test_nothing_else_is_recorded() -> None:
    assert set(read_recorded()) == set(STAGES)


def test_every_version_has_a_stage() -> None:
    packages = ("privacy", "agents", "indexer")
    declared = {
        path
        for package in packages
        for path in (ROOT / package).rglob("*.py")
        if re.search(r"^VERSION = ", path.read_text("utf-8"), re.MULTILINE)
        and path.stem not in _NEED_A_FOREIGN_MODEL
    }
    modules = {importlib.import_module(stage.module).__file__ for stage in STAGES.values()}
    assert {path.resolve() for path in declared} == {Path(m or "").resolve() for m in modules}


def changed(fingerprint: str, output: object) -> str:
    stage = Stage("sage_rag.module", lambda: StageOutput(fingerprint, output))
    digest = StageOutput("one/1", ["text"]).digest
    return complaint("one", stage, {"fingerprint": "one/1", "digest": digest})


def test_a_changed_output_asks_for_a_new_version() -> None:
    said = changed("one/1", ["texts"])
    assert "raise VERSION in sage_rag.module" in said
    assert "python -m tests.golden.record" in said


def test_a_changed_version_asks_for_a_record() -> None:
    said = changed("one/2", ["text"])
    assert "python -m tests.golden.record" in said
    assert "raise" not in said


def test_an_equal_output_passes() -> None:
    assert not changed("one/1", ["text"])


def test_another_word_of_the_rules_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    generate = RuleGenerator.generate

    async def shouted(
        self: RuleGenerator, extraction: Extraction, attributes: CorpusAttributes
    ) -> Draft:
        draft = await generate(self, extraction, attributes)
        return Draft({name: text.upper() for name, text in draft.fields.items()})

    monkeypatch.setattr(RuleGenerator, "generate", shouted)
    said = complaint("rules", STAGES["rules"], read_recorded()["rules"])
    assert "raise VERSION in sage_rag.agents.rules.roles" in said


def test_the_record_is_plain_json() -> None:
    assert all(set(entry) == {"fingerprint", "digest"} for entry in read_recorded().values())
    assert json.dumps(read_recorded())
