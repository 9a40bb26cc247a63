"""Settings are typed; a wrong or unknown key stops a run before it begins."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.training.pretraining.config import PretrainingConfig, read_config, shipped_configs

SHIPPED = shipped_configs()


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_configurations_are_valid(name: str) -> None:
    PretrainingConfig.model_validate(tomllib.loads(SHIPPED[name]))


@pytest.mark.parametrize("name", ["soe_llama3_8b", "soe_qwen25_7b"])
def test_the_papers_configurations_are_table_7(name: str) -> None:
    config = PretrainingConfig.model_validate(tomllib.loads(SHIPPED[name]))
    settings = config.optimization
    assert (settings.learning_rate, settings.epochs, settings.warm_up) == (5e-6, 2, 0.1)
    assert (settings.rows_per_device, settings.accumulation) == (2, 4)
    assert (config.data.row_tokens, config.data.replay_share) == (2048, 0)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("seed = 0", "seeds = 0", "seeds: Extra inputs are not permitted"),
        ("epochs = 2", "epochs = 0", "optimization.epochs: "),
        ("layers = 6", "layer = 6", "model.size.layer: Extra"),
        ("heads = 4", "heads = 3", "model.size: `width` must be an even multiple"),
        ('start = "random"', 'start = "body"', "model: `path` belongs to"),
        ('tokenizer = "tokenizer"', "", "`data.tokenizer` is missing"),
        ("row_tokens = 256", "row_tokens = 256\nreplay_share = 0.1", "data: `replay` and"),
        ("[model]", "[model", "is not TOML"),
    ],
)
def test_a_wrong_key_is_named(tmp_path: Path, before: str, after: str, message: str) -> None:
    assert before in SHIPPED["tiny"]
    path = tmp_path / "run.toml"
    path.write_text(SHIPPED["tiny"].replace(before, after, 1))
    with pytest.raises(InputError) as caught:
        read_config(path)
    assert message in caught.value.message
    assert "\n" not in caught.value.message


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        read_config(tmp_path / "absent.toml")
