"""Attempts and leaks: the prompts of an attack with their outputs, and the findings."""

from __future__ import annotations

from dataclasses import dataclass, field

from sage_rag.eval.probes.probe import Probe


@dataclass(frozen=True, slots=True)
class Attempt:
    """One probe sent to a target.

    `outputs` are all texts that the target showed for it. An attempt with an `error` failed and is
    no evidence for or against a leak.
    """

    probe: Probe
    outputs: tuple[str, ...] = field(default=(), repr=False)
    error: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the target did not answer."""
        return self.error is not None


@dataclass(frozen=True, slots=True)
class Leak:
    """One piece of private material that an output shows.

    `piece` identifies it, so that it counts once (an original's id, or a type and value); `excerpt`
    is the text of the output that shows it. Both are private: `repr` hides them.
    """

    piece: tuple[str, ...] = field(repr=False)
    excerpt: str = field(repr=False, compare=False)
