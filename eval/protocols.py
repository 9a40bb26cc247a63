"""The seams of an attack: what is attacked, and what judges the outcome."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from sage_rag.eval.attempts import Leak
from sage_rag.eval.probes.probe import Probe


class Target(Protocol):
    """Something that answers prompts."""

    @property
    def name(self) -> str:
        """How a report names the target."""
        ...

    def ask(self, prompt: str) -> tuple[str, ...]:
        """Return everything that the target shows for a prompt, each text for itself.

        Raises:
            UpstreamError: when it gives no answer to this prompt.
        """
        ...


class Detector(Protocol):
    """Finds private material of the originals in outputs."""

    @property
    def name(self) -> str:
        """What a report calls the measure, such as `repeat`."""
        ...

    @property
    def unit(self) -> str:
        """What one piece is, in the plural: `originals`, `values`."""
        ...

    @property
    def pieces(self) -> int | None:
        """How many pieces there are to leak; `None` where that is not a fixed number."""
        ...

    def detect(self, output: str, probe: Probe) -> Iterable[Leak]:
        """Return what one output shows."""
        ...
