"""A rewritten text in which each character keeps its place in the original."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sage_rag.privacy.spans import Span

Edit = tuple[int, int, str]
"""Replace the code points `[start, end)` by another string."""


@dataclass(frozen=True, slots=True)
class AlignedText:
    """A rewritten text, aligned with the original.

    Character `i` of `text` stands for the code points `[starts[i], ends[i])` of the original;
    both sequences never decrease.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def unchanged(cls, text: str) -> AlignedText:
        """Return a text without changes."""
        return cls(text, range(len(text)), range(1, len(text) + 1))

    def edited(self, edits: Iterable[Edit]) -> AlignedText:
        """Return the text after edits, which must be in order and disjoint.

        Every character of a replacement stands for the whole range that it replaces.
        """
        parts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        position = 0
        for start, end, replacement in edits:
            self._copy(position, start, parts, starts, ends)
            parts.append(replacement)
            starts += [self.starts[start]] * len(replacement)
            ends += [self.ends[end - 1]] * len(replacement)
            position = end
        if not position:
            return self
        self._copy(position, len(self.text), parts, starts, ends)
        return AlignedText("".join(parts), starts, ends)

    def _copy(
        self, start: int, end: int, parts: list[str], starts: list[int], ends: list[int]
    ) -> None:
        parts.append(self.text[start:end])
        starts += self.starts[start:end]
        ends += self.ends[start:end]

    def original_span(self, span: Span) -> Span:
        """Return the span of the original text that a span of this text stands for.

        Guarantees: the result covers every character that was removed between the first and the
        last character of the span.
        """
        start, end = self.starts[span.start], self.ends[span.end - 1]
        return Span(start, end, span.entity_type, span.score)
