"""`sage-rag train cipher` as its users run it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.training.pretraining.corpus import write_texts
from tests.training.cli.test_pretraining import run
from tests.training.pretraining.runs import invented_texts


def test_an_example_trains_from_texts_to_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_texts(tmp_path / "texts.jsonl", invented_texts(120))
    recipe = run("cipher", "--example", "crypto_llm_3m")
    for before, after in (
        ("vocabulary = 2048", "vocabulary = 300"),
        ("width = 192\nlayers = 6", "width = 32\nlayers = 1"),
        ('sensitive = ["corpus"]', 'sensitive = ["texts.jsonl"]'),
    ):
        assert before in recipe
        recipe = recipe.replace(before, after)
    Path("recipe.toml").write_text(recipe)
    printed = run("cipher", "--config", "recipe.toml")
    assert "the model is in runs/crypto-llm-3m/second/model" in printed
    assert Path("runs/crypto-llm-3m/second/model/config.json").exists()


def test_examples_are_listed_where_one_is_missing() -> None:
    with pytest.raises(InputError, match="crypto_llm_20m, crypto_llm_3m, crypto_llm_551m"):
        run("cipher", "--example", "?")
    with pytest.raises(InputError, match="either --config or --example"):
        run("cipher", "--example", "crypto_llm_3m", "--config", "x.toml")
