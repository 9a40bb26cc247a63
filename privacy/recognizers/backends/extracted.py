"""From the values that a generative model names to the spans where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.disguise.characters import visible_edits
from sage_rag.privacy.recognizers.disguise.views import View
from sage_rag.privacy.recognizers.writing import at_borders, whole_words
from sage_rag.privacy.spans import Span

_SPACED_OUT = 5
"""Fewest characters of a value that may stand with any spacing: `a n` is not `an`."""
_INSIDE_WORDS = 3
"""Fewest characters of a value that is searched inside longer words."""


@dataclass(frozen=True, slots=True)
class Value:
    """A private value that a model named. `repr` hides it."""

    text: str = field(repr=False)
    entity_type: EntityType


@dataclass(frozen=True, slots=True)
class Located:
    """Where values stand, and how many distinct ones stand nowhere: the model invented them."""

    spans: tuple[Span, ...]
    invented: int


def locate(text: str, values: Iterable[Value], score: float) -> Located:
    """Find every occurrence of each value, the strictest way that finds any.

    First as written, at word borders, white space being equal to white space; then whatever its
    case, spacing and disguised characters; last inside longer words, which are covered whole
    (a model that names `Maria` where the text has only `Marias`).

    Guarantees: every span is one that its text backs; nothing that a model invents gets in.
    """
    finder = _Finder(text)
    spans: dict[Span, None] = {}
    invented = 0
    for value in dict.fromkeys(values):
        ranges = finder.ranges(value.text.strip())
        invented += not ranges
        spans |= {Span(start, end, value.entity_type, score): None for start, end in ranges}
    return Located(tuple(spans), invented)


class _Finder:
    def __init__(self, text: str) -> None:
        self._text = text
        self._view: View | None = None

    def ranges(self, value: str) -> list[tuple[int, int]]:
        if not value:
            return []
        exact = re.compile(r"\s+".join(map(re.escape, value.split())))
        found = [m.span() for m in exact.finditer(self._text) if at_borders(self._text, *m.span())]
        return found or self._lenient(value)

    def _lenient(self, value: str) -> list[tuple[int, int]]:
        shown = View.of(value).edited(visible_edits(value)).text
        letters = "".join(shown.split())
        if not letters:
            return []
        pieces, gap = (letters, r"\s*") if len(letters) >= _SPACED_OUT else (shown.split(), r"\s+")
        loose = re.compile(gap.join(map(re.escape, pieces)), re.IGNORECASE)
        found = list(self._in_view(loose))
        words = [r for r in found if at_borders(self._text, *r)]
        if words or len(letters) < _INSIDE_WORDS:
            return words
        return list(dict.fromkeys(whole_words(self._text, *r) for r in found))

    def _in_view(self, loose: re.Pattern[str]) -> Iterator[tuple[int, int]]:
        if self._view is None:
            self._view = View.of(self._text).edited(visible_edits(self._text))
        for match in loose.finditer(self._view.text):
            yield self._view.starts[match.start()], self._view.ends[match.end() - 1]
