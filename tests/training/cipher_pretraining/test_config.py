"""Settings of two-stage trainings, and the recipes that ship."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from sage_rag.common.exceptions import InputError
from sage_rag.training.cipher_pretraining.config import CipherPretrainingConfig
from sage_rag.training.cipher_pretraining.controls import number_tokenizer
from sage_rag.training.pretraining.config import ModelSettings, read_settings, shipped_configs
from sage_rag.training.pretraining.model import loss_sum, starting_model
from sage_rag.training.pretraining.packing import Batch
from tests.training.cipher_pretraining.settings import tiny_training

PACKAGE = "sage_rag.training.cipher_pretraining"


def recipe(name: str, folder: Path) -> CipherPretrainingConfig:
    path = folder / f"{name}.toml"
    path.write_text(shipped_configs(PACKAGE)[name])
    return read_settings(path, CipherPretrainingConfig)


@pytest.mark.parametrize(
    ("name", "million"),
    [("crypto_llm_551m", 551), ("crypto_llm_20m", 20), ("crypto_llm_3m", 3)],
)
def test_a_shipped_recipe_takes_a_step_at_its_size(name: str, million: int, tmp_path: Path) -> None:
    config = recipe(name, tmp_path)
    with torch.device("meta"):  # shapes without numbers: 551 million weights take no memory
        model = starting_model(
            ModelSettings(start="random", size=config.size),
            number_tokenizer(config.vocabulary),
            config.row_tokens,
            seed=0,
        )
        rows = torch.zeros(2, config.row_tokens, dtype=torch.int64)
        loss = loss_sum(model, Batch(rows, rows, rows, rows))
        loss.backward()  # type: ignore[no-untyped-call]
        torch.optim.AdamW(model.parameters(), config.optimization.learning_rate).step()
    assert loss.shape == ()
    assert all(p.grad is not None and p.grad.shape == p.shape for p in model.parameters())
    assert sum(p.numel() for p in model.parameters()) // 1_000_000 == million


def test_the_papers_recipe_is_its_appendix(tmp_path: Path) -> None:
    config = recipe("crypto_llm_551m", tmp_path)
    size = config.size
    assert (size.width, size.layers, size.heads, size.norm_epsilon) == (1536, 16, 12, 1e-5)
    assert (config.row_tokens, config.vocabulary) == (2048, 32_000)
    assert config.optimization.learning_rate == 2e-4
    assert config.optimization.rows_per_device * 8 == 32


@pytest.mark.parametrize(
    ("stage", "problem"),
    [
        ({"kind": "cipher", "carry": "body"}, "= cipher needs `key_length`"),
        ({"kind": "cipher", "key_length": 10}, "= cipher needs `carry`"),
        ({"kind": "plain", "carry": "body"}, "`carry` belongs to"),
        ({"kind": "dyck", "carry": "body"}, "= dyck needs `tokens`"),
        ({"kind": "plain", "key_length": 10}, "`key_length` belongs to"),
    ],
)
def test_a_first_stage_has_the_settings_of_its_kind(
    stage: dict[str, object], problem: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=problem):
        tiny_training(tmp_path, **stage)


def test_an_error_names_the_key_and_the_module_of_its_settings(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(shipped_configs(PACKAGE)["crypto_llm_3m"].replace("vocabulary", "words"))
    with pytest.raises(InputError, match="vocabulary: Field required") as caught:
        read_settings(path, CipherPretrainingConfig)
    assert caught.value.hint == "keys and values: training/cipher_pretraining/config.py"
