"""The exported folder has what transformers and vLLM read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from sage_rag.common.exceptions import InputError
from sage_rag.training.pretraining.config import ModelSettings, SizeSettings
from sage_rag.training.pretraining.export import export_model
from sage_rag.training.pretraining.model import starting_model
from sage_rag.training.pretraining.tokenizing import train_tokenizer
from tests.training.pretraining.runs import files_of_at_most, invented_texts

TOKENIZER = train_tokenizer(invented_texts(200), 300, ["_[river_", "oak]"])
SIZE = SizeSettings(width=32, layers=1, heads=2)


def read(path: Path) -> dict:
    return json.loads(path.read_text("utf-8"))


def test_weights_configuration_tokenizer_and_generation_settings_agree(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    model = starting_model(ModelSettings(start="random", size=SIZE), TOKENIZER, 64, seed=0)
    export_model(model, TOKENIZER, folder, torch.bfloat16)
    config, generation = read(folder / "config.json"), read(folder / "generation_config.json")
    assert config["architectures"] == ["LlamaForCausalLM"]
    assert config["vocab_size"] == len(TOKENIZER) == 300
    assert (config["dtype"], config["use_cache"]) == ("bfloat16", True)
    assert generation["eos_token_id"] == generation["pad_token_id"] == TOKENIZER.eos_token_id
    with safe_open(folder / "model.safetensors", "pt") as weights:
        assert weights.get_slice("model.embed_tokens.weight").get_shape() == [300, 32]
        assert weights.get_slice("model.embed_tokens.weight").get_dtype() == "BF16"
    assert read(folder / "tokenizer_config.json")["tokenizer_class"] == "PreTrainedTokenizerFast"
    text = "bade ID_[river_oak] é"
    for load in (AutoTokenizer, PreTrainedTokenizerFast):
        assert load.from_pretrained(folder)(text)["input_ids"] == TOKENIZER(text)["input_ids"]
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_weights_for_which_the_disk_is_too_small_leave_no_folder(tmp_path: Path) -> None:
    model = starting_model(ModelSettings(start="random", size=SIZE), TOKENIZER, 64, seed=0)
    with files_of_at_most(20_000), pytest.raises(OSError, match="File too large"):
        export_model(model, TOKENIZER, tmp_path / "model", torch.float32)
    assert not list(tmp_path.iterdir())


def test_a_tokenizer_for_which_the_disk_is_too_small_leaves_no_folder(tmp_path: Path) -> None:
    small = SizeSettings(width=2, layers=1, heads=1)
    model = starting_model(ModelSettings(start="random", size=small), TOKENIZER, 64, seed=0)
    with files_of_at_most(8_000), pytest.raises(InputError, match=r"tokenizer .*: File too large"):
        export_model(model, TOKENIZER, tmp_path / "model", torch.bfloat16)
    assert not list(tmp_path.iterdir())
