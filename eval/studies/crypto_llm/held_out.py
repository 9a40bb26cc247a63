"""Bits per character of a model on texts of authors that it has not read."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from sage_rag.common.files import write_file
from sage_rag.common.jsonl import rows
from sage_rag.training.pretraining.held_out import HeldOutRows


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


class HeldOutLog:
    """The figures of one arm, in the file of a folder."""

    def __init__(self, rows: HeldOutRows, characters: int, folder: Path) -> None:
        self._rows = rows
        self._characters = characters
        self._file = folder / "held-out.jsonl"

    def measure(self, step: int, model: Any) -> HeldOutFigures:
        """Measure a model, and write its figures instead of those of this step and later ones."""
        nats = self._rows.losses(model)
        found = HeldOutFigures(step=step, nats=nats, characters=self._characters)
        kept = [figures for figures in self.curve() if figures.step < step]
        write_file(self._file, "".join(f.model_dump_json() + "\n" for f in (*kept, found)))
        return found

    def curve(self) -> list[HeldOutFigures]:
        """Return the figures by step."""
        if not self._file.exists():
            return []
        return [HeldOutFigures.model_validate(row) for row in rows(self._file)]
