"""The loss on texts that a model does not train on."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from sage_rag.training.pretraining.config import ModelSettings, SizeSettings
from sage_rag.training.pretraining.corpus import write_texts
from sage_rag.training.pretraining.held_out import HeldOutRows
from sage_rag.training.pretraining.model import starting_model
from sage_rag.training.pretraining.tokenizing import save_tokenizer, train_tokenizer
from tests.training.pretraining.runs import invented_texts


def test_losses_are_those_of_every_token_but_the_first_of_each_text(tmp_path: Path) -> None:
    texts = invented_texts(12)
    tokenizer = train_tokenizer(invented_texts(200), 300)
    save_tokenizer(tokenizer, tmp_path / "tokenizer")
    source = tmp_path / "texts.jsonl"
    write_texts(source, texts)
    rows = HeldOutRows(source, tmp_path / "tokenizer", tmp_path / "tokens", row_tokens=64)
    size = SizeSettings(width=32, layers=1, heads=2)
    model = starting_model(ModelSettings(start="random", size=size), tokenizer, 512, seed=0)
    expected = 0.0
    for text in texts:
        ids = torch.tensor([[*tokenizer(text)["input_ids"], tokenizer.eos_token_id]])
        for start in range(0, ids.shape[1] - 1, 63):
            piece = ids[:, start : start + 64]
            with torch.no_grad():
                expected += float(model(piece, labels=piece).loss) * (piece.shape[1] - 1)
    model.train()
    assert sum(rows.losses(model)) == pytest.approx(expected, rel=1e-4)
    assert model.training
    assert rows.losses(model) == rows.losses(model)
