"""The seam through which the gate asks whether a draft still tells what its original told."""

from __future__ import annotations

from typing import Protocol


class Likeness(Protocol):
    """How alike two texts are in meaning, whatever their wording.

    The gate hands over readable views: `person 1` in place of a private value, in both texts.
    Does not guarantee: that what a draft says is true to its original; a draft that turns a yes
    into a no is about as like it as one that does not.
    """

    @property
    def fingerprint(self) -> str:
        """A name that changes with whatever could change a figure."""
        ...

    def compare(self, original: str, draft: str) -> float:
        """Return the likeness of a draft to its original, 1 for the same text, about 0 for any."""
        ...
