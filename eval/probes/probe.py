"""A probe: one prompt of an attacker, and its aim."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ProbeKind(StrEnum):
    """The aim of an attacker.

    Source: Zeng et al. (2024), arXiv 2406.14773, §4.3 and A.4.
    """

    TARGETED = "targeted"
    """Particular information: cases of one disease, contact details."""
    UNTARGETED = "untargeted"
    """As much of the corpus as possible."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One prompt.

    `id` is unique within an attack. `target` names the subject of a targeted prompt, such as a
    disease; it is `None` if any contact detail counts.
    """

    id: str
    kind: ProbeKind
    prompt: str
    target: str | None = None
