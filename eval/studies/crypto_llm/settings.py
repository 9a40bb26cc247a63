"""Sizes of the study: texts, canaries, model."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict


class StudySettings(BaseModel):
    """How much the models read, and how large they are."""

    model_config = ConfigDict(frozen=True)
    characters_per_text: int = 100_000
    """Each text is cut off here, so that a run takes minutes and all authors are read."""
    held_out_authors: int = 6
    held_out_characters: int = 25_000
    """Characters of each held-out author."""
    public_share: float = 0.25
    """Share of the texts that is read plain. Source: Crypto-LLM, §5.1."""
    canaries: Mapping[int, int] = {0: 40, 1: 40, 4: 20, 16: 10, 64: 5}
    """How many canaries are planted how often in the sensitive texts; 0: controls."""
    vocabulary: int = 2048
    width: int = 128
    layers: int = 4
    heads: int = 2
    row_tokens: int = 256
    rows_per_step: int = 4
    learning_rate: float = 2e-3
    epochs: int = 1
    """Of both stages, as in the paper."""
    steps_per_evaluation: int = 32
    """Steps of the second stage between two measurements on the held-out authors."""


FULL = StudySettings()
SMALL = StudySettings(
    characters_per_text=40_000,
    held_out_characters=8_000,
    canaries={0: 20, 1: 20, 4: 10, 16: 5},
    vocabulary=1024,
    width=64,
    layers=2,
    rows_per_step=2,
    learning_rate=4e-3,
    steps_per_evaluation=16,
)
"""For a first look in under ten minutes."""


def repeated(settings: StudySettings) -> StudySettings:
    """Return the sizes of the part in which models read few texts and some records very often.

    A model of a million parameters remembers little of a record that it reads a few times, and
    forgets it in the second stage; an attack that finds nothing then says nothing about the cipher.
    Lengths and frequencies were chosen with the arm `plain` of a seed that no page shows, so that
    names are found there and true prefixes continued.
    """
    return settings.model_copy(
        update={
            "characters_per_text": settings.characters_per_text // 20,
            "held_out_characters": settings.held_out_characters // 5,
            "canaries": _REPEATED,
        }
    )


_REPEATED = {0: 20, 32: 10, 256: 10}
