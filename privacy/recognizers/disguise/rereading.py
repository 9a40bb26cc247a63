"""Choose the parts of an undisguised text that a recognizer has to read again."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sage_rag.privacy.recognizers.disguise.aligned_text import AlignedText
from sage_rag.privacy.spans import Span

_CONTEXT = 600
"""Characters read on either side of a change: the tagger's window is about 500."""
_REACH = 300
"""Characters around a change in which a span may differ: what announces a value is closer."""
_WORTHWHILE = 0.7
"""Share of the text from which it is read whole."""


@dataclass(frozen=True, slots=True)
class Part:
    """The range `[start, end)` to read; only spans that touch `[first, last)` count."""

    start: int
    end: int
    first: int
    last: int

    def counts(self, span: Span) -> bool:
        """Return whether a span of the whole text lies where disguises may have changed it."""
        return span.start < self.last and span.end > self.first


def changed_parts(text: str, view: AlignedText) -> Sequence[Part]:
    """Return the parts of `view` near a character that `text` has otherwise, in order.

    Ends are at white space, so that no word is cut. Parts do not overlap; one that covers all of
    the view where the parts would be most of it.
    """
    length = len(view.text)
    spaces = [at for at, character in enumerate(view.text) if character.isspace()]
    parts: list[Part] = []
    for place in _changes(text, view):
        before = bisect_right(spaces, place - _CONTEXT)
        after = bisect_left(spaces, place + 1 + _CONTEXT)
        start = spaces[before - 1] if before else 0
        end = spaces[after] if after < len(spaces) else length
        first, last = max(0, place - _REACH), min(length, place + 1 + _REACH)
        if parts and start <= parts[-1].end:
            last_part = parts.pop()
            start, first = last_part.start, last_part.first
        parts.append(Part(start, end, first, last))
    if sum(part.end - part.start for part in parts) > _WORTHWHILE * length:
        return [Part(0, length, 0, length)]
    return parts


def _changes(text: str, view: AlignedText) -> Iterator[int]:
    """Yield the places in the view of characters that were replaced, or follow removed ones."""
    position = 0
    for place, (start, end) in enumerate(zip(view.starts, view.ends, strict=True)):
        if start != position or end != start + 1 or view.text[place] != text[start]:
            yield place
        position = end
    if position != len(text) and view.text:
        yield len(view.text) - 1
