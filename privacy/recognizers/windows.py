"""Long texts for recognizers that read only so much at once: overlapping windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from privacy.fingerprints import source_digest
from privacy.protocols import Recognizer
from privacy.spans import Span

WINDOW_CHARS = 2000
"""About 500 model tokens of English, what common token classifiers read at once."""
OVERLAP_CHARS = 200
"""Longer than any name, number or address line; a URL may be longer, and is joined."""


@dataclass(frozen=True, slots=True)
class _Window:
    """The part `[start, end)` of a text; its neighbours' parts reach to `before` and from `after`.

    At the two ends of the text there is no neighbour: `before == start`, `after == end`.
    """

    start: int
    end: int
    before: int
    after: int

    def cuts_left(self, text: str, span: Span) -> bool:
        """Return whether the span may have begun before this window."""
        return self.before > self.start and not _telling(text, self.start, span.start)

    def cuts_right(self, text: str, span: Span) -> bool:
        """Return whether the span may go on after this window."""
        return self.after < self.end and not _telling(text, span.end, self.end)

    def neighbour_decides(self, text: str, span: Span, left: bool, right: bool) -> bool:
        """Return whether a span at a cut lies in a neighbour's part, clear of its cut."""
        if left and span.end <= self.before and _telling(text, span.end, self.before):
            return True
        return right and span.start >= self.after and _telling(text, self.after, span.start)


class WindowedRecognizer:
    """Let a recognizer read a long text window by window.

    Guarantees: a value no longer than the overlap is found whenever the inner recognizer finds
    it in a window that holds it whole, once; a longer one is put together from its parts, where
    the inner recognizer finds those. At most one window is in the inner recognizer's hands.
    Does not guarantee: what the inner recognizer learns from the far end of a text.
    """

    def __init__(
        self,
        inner: Recognizer,
        *,
        window_chars: int = WINDOW_CHARS,
        overlap_chars: int = OVERLAP_CHARS,
    ) -> None:
        if overlap_chars < 1 or window_chars < 4 * overlap_chars:
            raise ValueError("a window must be at least four times its overlap, and that not 0")
        self._inner = inner
        self._window = window_chars
        self._overlap = overlap_chars

    @property
    def fingerprint(self) -> str:
        """The inner recognizer's, the two lengths, and a digest of the rules."""
        rules = source_digest("privacy.recognizers", "windows.py")
        return f"windows-{rules}-{self._window}-{self._overlap}({self._inner.fingerprint})"

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of all windows, merged, in order of position."""
        if len(text) <= self._window:
            return self._inner.recognize(text)
        merged: dict[Span, None] = {}
        open_parts: list[Span] = []
        for window in _windows(text, self._window, self._overlap):
            found = self._inner.recognize(text[window.start : window.end])
            still_open: list[Span] = []
            for local in found:
                span = replace(
                    local, start=local.start + window.start, end=local.end + window.start
                )
                left, right = window.cuts_left(text, span), window.cuts_right(text, span)
                if window.neighbour_decides(text, span, left, right):
                    continue
                if left:
                    span = _joined(span, open_parts, merged)
                merged[span] = None
                if right:
                    still_open.append(span)
            open_parts = still_open
        return sorted(merged, key=lambda s: (s.start, s.end, s.entity_type))


def _joined(span: Span, open_parts: list[Span], merged: dict[Span, None]) -> Span:
    """Return the span together with the part of it that the window before saw."""
    for part in open_parts:
        if part.entity_type is span.entity_type and part.start < span.end and span.start < part.end:
            merged.pop(part, None)
            span = replace(
                span,
                start=min(part.start, span.start),
                end=max(part.end, span.end),
                score=max(part.score, span.score),
            )
    return span


def _telling(text: str, start: int, end: int) -> bool:
    """Return whether anything but space and punctuation stands between two places."""
    return any(c.isalnum() for c in text[start:end])


def _windows(text: str, size: int, overlap: int) -> Iterator[_Window]:
    """Yield windows of at most `size`, cut at white space where there is any near the edge.

    Neighbours share at least `overlap` code points, and only neighbours share any.
    """
    start = before = 0
    while start + size < len(text):
        end = _white_space_before(text, start + size, start + size - overlap // 2)
        after = _white_space_before(text, end - overlap, end - overlap - overlap // 2)
        yield _Window(start, end, before, after)
        start, before = after, end
    yield _Window(start, len(text), before, len(text))


def _white_space_before(text: str, place: int, floor: int) -> int:
    """Return the last place after white space in `[floor, place]`, else `place`."""
    for i in range(place, floor, -1):
        if text[i - 1].isspace():
            return i
    return place
