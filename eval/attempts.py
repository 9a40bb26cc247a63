"""Attempts and leaks: what an attack did and what it found."""

from __future__ import annotations

from dataclasses import dataclass, field

from sage_rag.eval.probes.probe import Probe


@dataclass(frozen=True, slots=True)
class Attempt:
    """One probe sent to a target.

    `outputs` is everything the target showed for it, each text for itself. An attempt with an
    `error` failed: it says nothing about leaking, neither way.
    """

    probe: Probe
    outputs: tuple[str, ...] = field(default=(), repr=False)
    error: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the target gave no answer."""
        return self.error is not None


@dataclass(frozen=True, slots=True)
class Leak:
    """One piece of private material that an output shows.

    `piece` tells pieces apart, so that each counts once (an original's id, a type and value);
    `excerpt` is the output's text that shows it. Both are private: `repr` hides them.
    """

    piece: tuple[str, ...] = field(repr=False)
    excerpt: str = field(repr=False, compare=False)
