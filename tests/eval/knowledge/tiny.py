"""Tiny causal models over questions about invented persons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import functional
from transformers import LlamaConfig, LlamaForCausalLM

from sage_rag.eval.knowledge.backends.causal import CausalModel
from sage_rag.eval.knowledge.questions import Question
from sage_rag.eval.knowledge.texts import answered
from sage_rag.training.pretraining.tokenizing import train_tokenizer


def facts(questions: Sequence[Question]) -> list[str]:
    return [answered(prompt, q.answer) for q in questions for prompt in q.prompts]


def untrained(questions: Sequence[Question], seed: int = 0, width: int = 64) -> tuple[Any, Any]:
    tokenizer = train_tokenizer(facts(questions), 420)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        intermediate_size=2 * width,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=256,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    return LlamaForCausalLM(config), tokenizer


def untrained_model(questions: Sequence[Question]) -> CausalModel:
    return CausalModel(*untrained(questions))


def memorised_model(questions: Sequence[Question], steps: int) -> CausalModel:
    """Train on the answers of the questions themselves until they are known by heart."""
    model, tokenizer = untrained(questions)
    rows = [[*ids, tokenizer.eos_token_id] for ids in tokenizer(facts(questions))["input_ids"]]
    longest = max(map(len, rows))
    tokens = torch.tensor([row + [tokenizer.eos_token_id] * (longest - len(row)) for row in rows])
    targets = torch.tensor([row[1:] + [-100] * (longest - len(row) + 1) for row in rows])
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    for step in range(steps):
        chosen = slice(step % 2, None, 2)
        logits = model(input_ids=tokens[chosen]).logits
        loss = functional.cross_entropy(logits.flatten(0, 1), targets[chosen].flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return CausalModel(model, tokenizer)
