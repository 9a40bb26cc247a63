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
    novel_characters: int = 4_000_000
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
    samples: int = 100
    most_tokens: int = 150
    attempts: int = 5
    batch: int = 50
    prefix_epochs: int = 3
    prefix_rate: float = 1e-2
    paper_rate: float = 5e-5
    tuning_epochs: int = 3

    @property
    def parameters(self) -> int:
        """The number of weights of the model, with Llama's width of the feed-forward layers."""
        inner = -(-self.width * 8 // 3 // 32) * 32
        layer = 4 * self.width**2 + 3 * self.width * inner + 2 * self.width
        return self.vocabulary * self.width + self.layers * layer + self.width


FULL = ControlledSettings()
MEDIUM = ControlledSettings(
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
    batch=48,
)
"""For several seeds on one core."""
SMALL = MEDIUM.model_copy(
    update={
        "novel_characters": 200_000,
        "case_epochs": 6,
        "vocabulary": 1024,
        "width": 128,
        "cases": 30,
        "samples": 16,
        "most_tokens": 80,
        "batch": 16,
    }
)
"""For a first look: 207 s of processor time, with MAUVE."""
