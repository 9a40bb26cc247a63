"""Find the values that a generative model extracted in their text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.disguise.aligned_text import AlignedText
from sage_rag.privacy.recognizers.disguise.characters import visible_edits
from sage_rag.privacy.recognizers.word_borders import at_word_borders, extended_to_words
from sage_rag.privacy.spans import Span

_SPACED_OUT = 5
"""Fewest characters of a value that may have any spacing in the text: `a n` is not `an`."""
_INSIDE_WORDS = 3
"""Fewest characters of a value that is also searched inside longer words."""


@dataclass(frozen=True, slots=True)
class Value:
    """A private value that a model named. `repr` hides it."""

    text: str = field(repr=False)
    entity_type: EntityType


def locate(text: str, values: Iterable[Value], score: float) -> Sequence[Span]:
    """Find every occurrence of each value, in the strictest of three ways that finds any.

    First as written, at word borders, with any white space between words; then with any case,
    spacing and disguised characters; last inside longer words, which are covered whole (`Maria`
    where the text has only `Marias`).

    Guarantees: the text contains every returned value; an invented one gets no span.
    """
    finder = _Finder(text)
    spans: dict[Span, None] = {}
    for value in dict.fromkeys(values):
        ranges = finder.ranges(value.text.strip())
        spans |= {Span(start, end, value.entity_type, score): None for start, end in ranges}
    return tuple(spans)


class _Finder:
    def __init__(self, text: str) -> None:
        self._text = text
        self._view: AlignedText | None = None

    def ranges(self, value: str) -> list[tuple[int, int]]:
        if not value:
            return []
        exact = re.compile(r"\s+".join(map(re.escape, value.split())))
        found = [
            m.span() for m in exact.finditer(self._text) if at_word_borders(self._text, *m.span())
        ]
        return found or self._lenient(value)

    def _lenient(self, value: str) -> list[tuple[int, int]]:
        shown = AlignedText.unchanged(value).edited(visible_edits(value)).text
        letters = "".join(shown.split())
        if not letters:
            return []
        pieces, gap = (letters, r"\s*") if len(letters) >= _SPACED_OUT else (shown.split(), r"\s+")
        loose = re.compile(gap.join(map(re.escape, pieces)), re.IGNORECASE)
        found = list(self._in_view(loose))
        words = [r for r in found if at_word_borders(self._text, *r)]
        if words or len(letters) < _INSIDE_WORDS:
            return words
        return list(dict.fromkeys(extended_to_words(self._text, *r) for r in found))

    def _in_view(self, loose: re.Pattern[str]) -> Iterator[tuple[int, int]]:
        if self._view is None:
            self._view = AlignedText.unchanged(self._text).edited(visible_edits(self._text))
        for match in loose.finditer(self._view.text):
            yield self._view.starts[match.start()], self._view.ends[match.end() - 1]
