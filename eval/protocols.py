"""The seams of an attack: the target, and the detectors that judge its outputs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from sage_rag.eval.attempts import Leak
from sage_rag.eval.probes.probe import Probe


class Target(Protocol):
    """Something that answers prompts."""

    @property
    def name(self) -> str:
        """The target's name in a report."""
        ...

    def passages(self) -> Iterable[tuple[str, str]] | None:
        """Return id and text of every passage of an index; `None` if it can only be asked."""
        ...

    def ask(self, prompt: str) -> tuple[str, ...]:
        """Return every text that the target shows for a prompt.

        Raises:
            UpstreamError: when it does not answer this prompt.
        """
        ...


class Detector(Protocol):
    """Finds private material of the originals in outputs."""

    @property
    def name(self) -> str:
        """The measure's name in a report, such as `repeat`."""
        ...

    @property
    def unit(self) -> str:
        """What one piece is, in the plural: `originals`, `values`."""
        ...

    @property
    def pieces(self) -> int | None:
        """How many pieces there are to leak; `None` where that is not a fixed number."""
        ...

    @property
    def needs_target(self) -> bool:
        """Whether it looks only for what a targeted prompt names (`Probe.target`)."""
        ...

    def detect(self, output: str, probe: Probe) -> Iterable[Leak]:
        """Return the leaks that one output shows."""
        ...
