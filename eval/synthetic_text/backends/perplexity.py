"""Perplexity on real texts of a model that was tuned on synthetic ones.

Source: Zhao and Field (2025), §3.5: a fresh instance of the model is tuned on the synthetic texts
and tested on real ones that no one trained on.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from pydantic import BaseModel, ConfigDict
from torch.nn import functional

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import write_file
from sage_rag.training.controlled.sampling import CausalWriter
from sage_rag.training.pretraining.config import (
    DataSettings,
    HardwareSettings,
    ModelSettings,
    OptimizationSettings,
    PretrainingConfig,
)
from sage_rag.training.pretraining.loop import pretrain


class Perplexity(BaseModel):
    """Per token of the model's tokenizer, on the same real texts. `untuned`: of the base itself."""

    model_config = ConfigDict(frozen=True)
    tuned: float
    untuned: float
    tokens: int


class TuningSettings(BaseModel):
    """How the fresh model is tuned: the same for every set of texts that is compared."""

    model_config = ConfigDict(frozen=True)
    epochs: int = 3
    learning_rate: float = 5e-4
    row_tokens: int = 256
    rows: int = 8
    seed: int = 0


def tuned_perplexity(
    base: Path,
    texts: Sequence[str],
    reference: Sequence[str],
    folder: Path,
    settings: TuningSettings | None = None,
) -> Perplexity:
    """Tune the model of `base` on the texts in `folder`, and read the reference with both.

    A run in `folder` that was killed continues; one on other texts is deleted.

    Raises:
        InputError: for a folder without a model, or texts that give no row of tokens.
    """
    settings = settings or TuningSettings()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    file = folder / "texts.jsonl"
    if file.exists() and file.read_text("utf-8") != lines:
        shutil.rmtree(folder / "run", ignore_errors=True)
    write_file(file, lines)
    tuned = pretrain(_config(base, folder, settings))
    untuned, tokens = _known_perplexity(base, tuple(reference), settings.row_tokens)
    return Perplexity(
        tuned=perplexity_of(tuned, reference, settings.row_tokens)[0],
        untuned=untuned,
        tokens=tokens,
    )


@lru_cache(maxsize=4)
def _known_perplexity(base: Path, texts: tuple[str, ...], row_tokens: int) -> tuple[float, int]:
    """Return the perplexity of a base that many sets of texts are compared with."""
    return perplexity_of(base, texts, row_tokens)


def _config(base: Path, folder: Path, settings: TuningSettings) -> PretrainingConfig:
    return PretrainingConfig(
        out=folder / "run",
        seed=settings.seed,
        model=ModelSettings(start="weights", path=base),
        data=DataSettings(corpus=(folder / "texts.jsonl",), row_tokens=settings.row_tokens),
        optimization=OptimizationSettings(
            learning_rate=settings.learning_rate,
            epochs=settings.epochs,
            rows_per_device=settings.rows,
            weight_decay=0.01,
            betas=(0.9, 0.95),
        ),
        hardware=HardwareSettings(precision="float32", kept_checkpoints=1),
    )


@torch.inference_mode()
def perplexity_of(folder: Path, texts: Sequence[str], row_tokens: int) -> tuple[float, int]:
    """Return the perplexity of a model on texts, and over how many tokens.

    A text is read in pieces of `row_tokens` that share one token, so that every token but the first
    of a text counts once.

    Raises:
        InputError: when no text has two tokens.
    """
    writer = CausalWriter.open(folder)
    model: Any = writer.model
    total, count = 0.0, 0
    for text in texts:
        ids = writer.ids(text)
        for start in range(0, len(ids) - 1, row_tokens - 1):
            piece = torch.tensor([ids[start : start + row_tokens]], device=model.device)
            logits = model(input_ids=piece, use_cache=False).logits[0, :-1].float()
            total += float(functional.cross_entropy(logits, piece[0, 1:], reduction="sum"))
            count += piece.shape[1] - 1
    if not count:
        raise InputError("the reference has no text of two tokens, so it gives no perplexity")
    return math.exp(total / count), count
