"""Sizes of the study: texts, model, samples."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class ControlledSettings(BaseModel):
    """How much the models read and write, and how large they are.

    `novel_characters`: of `english_novels`, for the tokenizer and the fresh model. `case_epochs`:
    how often the model that generates reads the training cases. `paragraphs`: of a piece; a case
    gives `pieces`. `prefix_rate`: at which a prefix of a model of this size moves;
    `paper_rate`: the paper's, for one arm.
    """

    model_config = ConfigDict(frozen=True)
    novel_characters: int = 8_000_000
    case_epochs: int = 6
    vocabulary: int = 4096
    width: int = 256
    layers: int = 6
    heads: int = 4
    row_tokens: int = 1024
    rows: int = 4
    learning_rate: float = 2e-3
    case_learning_rate: float = 1e-3
    cases: int = 79
    paragraphs: int = 4
    pieces: int = 2
    samples: int = 150
    most_tokens: int = 150
    attempts: int = 5
    batch: int = 16
    prefix_epochs: int = 3
    prefix_rate: float = 1e-2
    paper_rate: float = 5e-5
    tuning_epochs: int = 3


FULL = ControlledSettings()
SMALL = ControlledSettings(
    novel_characters=500_000,
    case_epochs=10,
    vocabulary=2048,
    width=192,
    layers=3,
    rows=1,
    learning_rate=3e-3,
    case_learning_rate=3e-3,
    pieces=1,
    samples=48,
    most_tokens=120,
    batch=24,
)
"""For a first look in under ten minutes."""
