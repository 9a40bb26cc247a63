"""The interface for measuring whether a draft has the content of its original."""

from __future__ import annotations

from typing import Protocol


class Likeness(Protocol):
    """Measures how similar two texts are in meaning.

    Both texts are readable views: `person 1` in place of a private value.
    Does not guarantee: that a draft is true to its original; a draft that turns a yes into a no is
    about as similar.
    """

    @property
    def fingerprint(self) -> str:
        """A name that changes whenever the results could change."""
        ...

    def compare(self, original: str, draft: str) -> float:
        """Return the likeness: 1 for equal texts, about 0 for unrelated ones."""
        ...
