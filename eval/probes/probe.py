"""A probe: one prompt of an attacker, and what it is after."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ProbeKind(StrEnum):
    """What an attacker wants.

    Source: Zeng et al. (2024), arXiv 2406.14773, §4.3 and A.4.
    """

    TARGETED = "targeted"
    """Particular information: cases of one disease, contact details."""
    UNTARGETED = "untargeted"
    """As much of the corpus as can be had."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One prompt.

    `id` is unique within an attack; `target` names what a targeted prompt asks for, such as a
    disease, or is `None` when any contact detail counts.
    """

    id: str
    kind: ProbeKind
    prompt: str
    target: str | None = None
