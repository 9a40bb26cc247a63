"""The recognizer for values with a form: patterns, each with an optional check of its match."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span

VERSION = 5
"""Raised with every change of the spans from the same expressions: checks and context are code."""

Check = Callable[[re.Match[str]], tuple[int, int] | None]
"""Checks a match: returns the range of the value, or `None` when it is not a value."""
TypeOf = Callable[[re.Match[str]], EntityType]
"""Returns the type of a match by its words."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """What every match contains, and how far a match can extend around it.

    The expression is tried only there: a long one at every place of a text would cost more than all
    others together. `before` and `after` are characters before the anchor's start and after its
    end; a window ends at the next white space, so that it never cuts a word.
    """

    regex: re.Pattern[str]
    before: int = 64
    after: int = 40

    def windows(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the disjoint ranges of a text to search, in order."""
        start = reach = -1
        for match in self.regex.finditer(text):
            first = max(0, match.start() - self.before)
            if reach < 0:
                start = first
            elif first > reach and first > (end := _next_space(text, reach)):
                yield start, end
                start = first
            reach = match.end() + self.after
        if reach >= 0:
            yield start, _next_space(text, reach)


_SPACE = re.compile(r"\s")


def _next_space(text: str, place: int) -> int:
    space = _SPACE.search(text, place)
    return space.start() if space else len(text)


_Windows = dict[Anchor, tuple[tuple[int, int], ...]]


@dataclass(frozen=True, slots=True)
class Pattern:
    """One regular expression for one entity type.

    The value is the group called `value`, else the whole match; `check` overrides both. `type_of`
    overrides `entity_type` for one match.
    `needs`: a text with none of these is skipped. `anchor`: only places around one are searched.
    Every expression must be linear in the text: bounded or possessive repetition only.
    """

    entity_type: EntityType
    regex: re.Pattern[str]
    score: float = 0.8
    check: Check | None = None
    needs: Sequence[str] = ()
    type_of: TypeOf | None = None
    anchor: Anchor | None = None

    def find(self, text: str, windows: _Windows | None = None) -> Iterator[Span]:
        """Yield the spans of one text, in order.

        `windows`: the ranges of this text by anchor, which patterns with the same anchor share.
        """
        if self.needs and not any(c in text for c in self.needs):
            return
        for start, end in self._windows(text, {} if windows is None else windows):
            for match in self.regex.finditer(text, start, end):
                found = self.check(match) if self.check else _value(match)
                if found and found[0] < found[1]:
                    kind = self.type_of(match) if self.type_of else self.entity_type
                    yield Span(*found, kind, self.score)

    def _windows(self, text: str, known: _Windows) -> Iterable[tuple[int, int]]:
        if self.anchor is None:
            return ((0, len(text)),)
        if self.anchor not in known:
            known[self.anchor] = tuple(self.anchor.windows(text))
        return known[self.anchor]


def pattern(
    entity_type: EntityType,
    expression: str,
    score: float = 0.8,
    check: Check | None = None,
    *,
    ignore_case: bool = False,
    needs: Sequence[str] = (),
    type_of: TypeOf | None = None,
    anchor: Anchor | None = None,
) -> Pattern:
    """Compile an expression into a `Pattern`."""
    regex = re.compile(expression, re.IGNORECASE if ignore_case else 0)
    return Pattern(entity_type, regex, score, check, needs, type_of, anchor)


def _value(match: re.Match[str]) -> tuple[int, int]:
    return match.span("value") if "value" in match.re.groupindex else match.span()


def first_group(match: re.Match[str]) -> tuple[int, int] | None:
    """Return the range of the first named group that matched (a `Check`)."""
    return next((match.span(name) for name, found in match.groupdict().items() if found), None)


def trimmed(match: re.Match[str]) -> tuple[int, int] | None:
    """Drop the punctuation of the sentence from the end of a match (a `Check`)."""
    value = match.group().rstrip(".,;:!?'\"*>)]}")
    return (match.start(), match.start() + len(value)) if value else None


class PatternRecognizer:
    """Find structured values: addresses of all kinds, numbers, dates, ages.

    Guarantees: time linear in the length of the text.
    """

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._patterns = tuple(patterns)
        expressions = "\n".join(
            f"{p.entity_type}\t{p.score}\t{p.needs}\t{p.anchor}\t{p.regex.flags}\t{p.regex.pattern}"
            for p in self._patterns
        )
        digest = hashlib.sha256(f"{VERSION}\n{expressions}".encode()).hexdigest()[:8]
        self.fingerprint: Final = f"patterns-{digest}"
        """A digest of all patterns and of our version."""

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of all patterns; different patterns' spans may overlap."""
        windows: _Windows = {}
        return [span for pattern in self._patterns for span in pattern.find(text, windows)]
