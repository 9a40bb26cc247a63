"""The settings in a tagger's weights file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sage_rag.common.minilm.weights_file import WeightsFile, read_weights_file
from sage_rag.privacy.entities import EntityType


@dataclass(frozen=True, slots=True)
class Calibration:
    """Map a head's logit to a probability, and state the threshold.

    The logit `x` that a word is private becomes `1 / (1 + exp(-(slope * x + shift)))` (Platt
    scaling); a word counts when that is at least `threshold`.
    """

    slope: float
    shift: float
    threshold: float


@dataclass(frozen=True, slots=True)
class TaggerSettings:
    """The entity types of the heads, and the calibration of each."""

    types: tuple[EntityType, ...]
    calibration: tuple[Calibration, ...]


def read_weights(path: Path) -> WeightsFile[TaggerSettings]:
    """Read the settings of a tagger's weights file.

    Raises:
        InputError: when it is not one, or was trained on another base model.
    """
    return read_weights_file(path, "tagger", _settings)


def _settings(found: dict[str, Any]) -> TaggerSettings:
    return TaggerSettings(
        tuple(EntityType(name) for name in found["types"]),
        tuple(Calibration(*row) for row in found["calibration"]),
    )
