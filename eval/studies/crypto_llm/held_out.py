"""Bits per character of a model on texts of authors that it has not read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from pydantic import BaseModel, ConfigDict
from torch import nn

from sage_rag.common.files import write_file
from sage_rag.common.jsonl import rows
from sage_rag.training.pretraining.corpus import read_texts
from sage_rag.training.pretraining.model import losses_by_row
from sage_rag.training.pretraining.packing import Piece, batch_of, pack
from sage_rag.training.pretraining.token_shards import TokenShards
from sage_rag.training.pretraining.tokenizing import load_tokenizer

_ROWS_PER_PASS = 16


class HeldOutFigures(BaseModel):
    """The cross-entropy of one model on the held-out texts.

    `step`: steps of the second stage. `nats`: by row of tokens. `characters`: of all rows.
    """

    model_config = ConfigDict(frozen=True)
    step: int
    nats: tuple[float, ...]
    characters: int

    @property
    def bits_per_character(self) -> float:
        """Return bits per character, over all tokens but the first of each text."""
        return sum(self.nats) / math.log(2) / self.characters


class HeldOutTexts:
    """The held-out texts as rows of tokens, and the models' figures on them, in a folder."""

    def __init__(self, texts: Path, tokenizer: Path, folder: Path, row_tokens: int) -> None:
        loaded = load_tokenizer(tokenizer)
        tokens = folder / "held-out-tokens"
        if not tokens.exists():
            TokenShards.build(read_texts([texts]), loaded, tokens)
        shards = TokenShards.open(tokens)
        packed = pack(shards.documents, row_tokens, seed=0)
        end = int(loaded.eos_token_id or 0)
        self._batches = [
            batch_of(group, row_tokens, end)
            for group in _groups([(shards, packed[row]) for row in range(len(packed))])
        ]
        self._characters = sum(map(len, read_texts([texts])))
        self._file = folder / "held-out.jsonl"

    def measure(self, step: int, model: nn.Module) -> HeldOutFigures:
        """Measure a model, and add its figures to those of the folder, one line for each step."""
        was_training = model.training
        model.eval()
        with torch.no_grad():
            nats = tuple(
                float(loss) for batch in self._batches for loss in losses_by_row(model, batch)
            )
        model.train(was_training)
        found = HeldOutFigures(step=step, nats=nats, characters=self._characters)
        kept = [figures for figures in self.curve() if figures.step < step]
        lines = "".join(f.model_dump_json() + "\n" for f in (*kept, found))
        write_file(self._file, lines)
        return found

    def curve(self) -> list[HeldOutFigures]:
        """Return the figures by step."""
        if not self._file.exists():
            return []
        return [HeldOutFigures.model_validate(row) for row in rows(self._file)]


def _groups(
    rows_of_tokens: Sequence[tuple[TokenShards, Sequence[Piece]]],
) -> Iterator[Sequence[tuple[TokenShards, Sequence[Piece]]]]:
    for start in range(0, len(rows_of_tokens), _ROWS_PER_PASS):
        yield rows_of_tokens[start : start + _ROWS_PER_PASS]
