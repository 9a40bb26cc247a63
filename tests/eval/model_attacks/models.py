"""Tiny models that have read certain texts by heart, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import functional
from transformers import LlamaConfig, LlamaForCausalLM

from sage_rag.eval.knowledge.backends.causal import CausalModel
from sage_rag.training.pretraining.tokenizing import train_tokenizer


def untrained(texts: Sequence[str], size: int = 900) -> tuple[Any, Any]:
    tokenizer = train_tokenizer(texts, size)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=144,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    return LlamaForCausalLM(config), tokenizer


def memorised(texts: Sequence[str], known: Sequence[str], steps: int) -> CausalModel:
    """Train on the `known` texts until the model knows them by heart."""
    return CausalModel(*trained(texts, known, steps, rate=2e-2))


def trained(
    texts: Sequence[str], known: Sequence[str], steps: int, size: int = 900, rate: float = 5e-3
) -> tuple[Any, Any]:
    """Return such a model and its tokenizer of `size` tokens."""
    model, tokenizer = untrained(texts, size)
    end = tokenizer.eos_token_id
    rows = [[*ids, end] for ids in tokenizer(list(known))["input_ids"]]
    longest = max(map(len, rows))
    tokens = torch.tensor([row + [end] * (longest - len(row)) for row in rows])
    targets = torch.tensor([row[1:] + [-100] * (longest - len(row) + 1) for row in rows])
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    for _ in range(steps):
        logits = model(input_ids=tokens).logits
        functional.cross_entropy(logits.flatten(0, 1), targets.flatten()).backward()
        optimizer.step()
        optimizer.zero_grad()
    return model, tokenizer
