"""The model that the second stage starts from: weights of the first one, with a new vocabulary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from sage_rag.training.cipher_pretraining.config import Carry
from sage_rag.training.pretraining.config import ModelSettings
from sage_rag.training.pretraining.export import export_model
from sage_rag.training.pretraining.model import starting_model, vocabulary_matrices
from sage_rag.training.pretraining.tokenizing import load_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

RECORD = "first_stage"
"""Key of the model's `config.json` that holds what was read first and what was carried."""


def write_carried_model(
    first: Path,
    tokenizer: PreTrainedTokenizerFast,
    carry: Carry,
    folder: Path,
    *,
    kind: str,
    row_tokens: int,
    seed: int,
) -> None:
    """Write the model of the first stage with embeddings for another tokenizer.

    The carry and the kind of the first stage are recorded in the model's configuration, and stay
    there in every model that is trained from it.

    Raises:
        InputError: when the folder `first` has no model.
    """
    settings = ModelSettings(start="body", path=first)
    model = starting_model(settings, tokenizer, row_tokens, seed)
    if carry is Carry.WHOLE:
        all_weights = ModelSettings(start="weights", path=first)
        _take_scale(model, starting_model(all_weights, load_tokenizer(first), row_tokens, seed))
    untyped: Any = model.config
    setattr(untyped, RECORD, {"kind": kind, "carry": str(carry)})
    folder.parent.mkdir(parents=True, exist_ok=True)
    export_model(model, tokenizer, folder, torch.float32)


def _take_scale(model: PreTrainedModel, trained: PreTrainedModel) -> None:
    """Give the new embeddings the mean and deviation of each dimension of the trained ones."""
    with torch.no_grad():
        pairs = zip(vocabulary_matrices(model), vocabulary_matrices(trained), strict=True)
        for fresh, old in pairs:
            standard = (fresh - fresh.mean()) / fresh.std()
            fresh.copy_(old.mean(0) + standard * old.std(0))
