"""From a corpus file to a job: what is built, and what does not go together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sage_rag.agents.chat.options import ModelOptions
from sage_rag.common.exceptions import InputError
from sage_rag.indexer.corpus_file import ConsensusTable, CorpusFile
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.wiring import index_job, model_of, recipe_of, working_recognizer
from sage_rag.privacy.testing import TableRecognizer
from tests.indexer.conftest import KEYSET, NAMES

PARTS: dict[str, Any] = {"recognizer": TableRecognizer(NAMES), "embedder": HashEmbedder()}


def settings(corpus: Path, **changes: Any) -> CorpusFile:
    return CorpusFile(**{"source": corpus, "recipe": "sage", **changes})


def test_rules_do_the_roles_without_a_model(corpus: Path, tmp_path: Path) -> None:
    job = index_job(settings(corpus, concurrency=3), "clinic", tmp_path, KEYSET, **PARTS)
    assert job.roles is not None
    assert (job.costs, job.engine, job.concurrency) == (None, None, 3)
    assert index_job(settings(corpus), "c", tmp_path, KEYSET, **PARTS, agents=False).roles is None


def test_the_files_limits_replace_those_of_recipe_and_policy(corpus: Path) -> None:
    recipe = recipe_of(settings(corpus, policy="soe-all", gate={"rouge_l": 0.3, "form": "off"}))
    assert recipe.policy == "soe-all"
    assert recipe.own_limits == {"rouge_l": 0.3, "form": False}
    assert recipe_of(settings(corpus, domain="health")).policy is not None
    with pytest.raises(InputError, match="protects nothing"):
        recipe_of(settings(corpus, recipe="origin", gate={"rouge_l": 0.3}))


@pytest.mark.parametrize(
    "changes",
    [
        {"recipe": "zerogen"},
        {"two_calls": True},
        {"adversary": True, "attributes_per_field": 3},
        {"recipe": "paraphrase", "attributes": "medical-dialogue"},
        {"recipe": "nonsense"},
        {"consensus": ConsensusTable(k=4)},
        {"recipe": "consensus", "gate": {"rouge_l": 0.3}},
        {"recipe": "origin", "layers": ("consensus", "records")},
        {"recipe": "encrypted", "layers": ("consensus",)},
        {"recipe": "consensus", "layers": ("consensus", "records")},
    ],
)
def test_settings_that_do_not_fit_together_are_one_line(
    corpus: Path, tmp_path: Path, changes: dict[str, Any]
) -> None:
    with pytest.raises(InputError) as error:
        index_job(settings(corpus, **changes), "clinic", tmp_path, KEYSET, **PARTS)
    assert "\n" not in error.value.message


@pytest.mark.parametrize(
    ("changes", "recipe", "layers"),
    [
        ({}, "sage", ("records",)),
        ({"recipe": "consensus"}, "consensus", ("consensus",)),
        ({"recipe": "consensus", "layers": ("consensus",)}, "consensus", ("consensus",)),
        (
            {"recipe": "encrypted", "layers": ("consensus", "records")},
            "encrypted",
            ("consensus", "records"),
        ),
    ],
)
def test_the_recipe_treats_the_records_of_the_layers(
    corpus: Path, tmp_path: Path, changes: dict[str, Any], recipe: str, layers: tuple[str, ...]
) -> None:
    job = index_job(settings(corpus, **changes), "clinic", tmp_path, KEYSET, **PARTS)
    assert (job.recipe.name, job.layers) == (recipe, layers)
    assert (job.roles is None) == (recipe != "sage")


def test_no_model_is_built_without_its_name_and_no_answers_are_stored_without_keep(
    corpus: Path, tmp_path: Path
) -> None:
    assert model_of(settings(corpus), tmp_path / "owner") is None
    named = ModelOptions(base_url="http://127.0.0.1:9/v1", name="m")
    assert model_of(settings(corpus, model=named), tmp_path / "owner", keep=False) is not None
    assert not (tmp_path / "owner").exists()


def test_a_worker_gets_no_recognizer_that_asks_a_model() -> None:
    assert working_recognizer(("no-default", "llm"), None).fingerprint == ""
