"""Tiny models with random weights, made where a test needs one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] person 1 2 gout knee helps against the what".split()


def question_answering_model(folder: Path, words: Sequence[str] = ()) -> Path:
    """Write a model that marks answers and knows some more words, and return its folder."""
    return _written("BertForQuestionAnswering", folder, words)


def cross_encoder(folder: Path) -> Path:
    """Write a model that scores a question with a passage, and return its folder."""
    return _written("BertForSequenceClassification", folder, num_labels=1)


def _written(architecture: str, folder: Path, more: Sequence[str] = (), **settings: int) -> Path:
    import torch
    import transformers

    words = [*WORDS, *more]
    (folder / "vocab.txt").write_text("\n".join(words), "utf-8")
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        initializer_range=0.5,
        **settings,
    )
    getattr(transformers, architecture)(config).save_pretrained(folder)
    tokenizer = transformers.BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=64)
    tokenizer.save_pretrained(folder)
    return folder
