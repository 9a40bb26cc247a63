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
    novel_characters: int = 800_000
    case_epochs: int = 5
    vocabulary: int = 4096
    width: int = 192
    layers: int = 4
    heads: int = 4
    row_tokens: int = 1024
    rows: int = 4
    learning_rate: float = 2e-3
    case_learning_rate: float = 1e-3
    cases: int = 79
    paragraphs: int = 4
    pieces: int = 1
    samples: int = 48
    most_tokens: int = 150
    attempts: int = 5
    batch: int = 16
    prefix_epochs: int = 3
    prefix_rate: float = 1e-2
    paper_rate: float = 5e-5
    tuning_epochs: int = 3


FULL = ControlledSettings()
SMALL = ControlledSettings(
    novel_characters=300_000,
    case_epochs=2,
    vocabulary=1024,
    width=64,
    layers=2,
    cases=24,
    samples=16,
    most_tokens=80,
    tuning_epochs=1,
)
"""For a first look in under ten minutes."""
