"""The loss of a model on texts that it does not train on."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

from sage_rag.common.batches import batches_of
from sage_rag.training.pretraining.corpus import read_texts
from sage_rag.training.pretraining.model import losses_by_row
from sage_rag.training.pretraining.packing import batch_of, pack
from sage_rag.training.pretraining.token_shards import TokenShards
from sage_rag.training.pretraining.tokenizing import load_tokenizer

_ROWS_PER_PASS = 16


class HeldOutRows:
    """Texts as rows of tokens, in an order that is always the same.

    `tokens`: the folder for their tokens.
    """

    def __init__(self, texts: Path, tokenizer: Path, tokens: Path, row_tokens: int) -> None:
        loaded = load_tokenizer(tokenizer)
        if not tokens.exists():
            TokenShards.build(read_texts([texts]), loaded, tokens)
        shards = TokenShards.open(tokens)
        packed = pack(shards.documents, row_tokens, seed=0)
        end = int(loaded.eos_token_id or 0)
        rows = [(shards, packed[row]) for row in range(len(packed))]
        groups = batches_of(rows, _ROWS_PER_PASS)
        self._batches = [batch_of(group, row_tokens, end) for group in groups]

    def losses(self, model: nn.Module) -> tuple[float, ...]:
        """Return the sum of the cross-entropies of each row, in nats.

        Every token counts but the first of each text. The model is left as it was.
        """
        device = next(model.parameters()).device
        was_training = model.training
        model.eval()
        with torch.no_grad():
            found = [losses_by_row(model, batch.to(device)) for batch in self._batches]
        model.train(was_training)
        return tuple(torch.cat(found).tolist())
