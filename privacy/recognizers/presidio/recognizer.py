"""Find structured values with Presidio's expressions, checks and context words.

Presidio has collected for years the forms of many countries' numbers, their checksums and the
words that announce them. They ship with this package (`patterns.toml`, `checks.py`); Presidio's
engine, which tags every text with spaCy first, is not used. Presidio is MIT-licensed (Microsoft and
contributors).

The table is read, and its expressions are compiled, with the first text that contains something
with the shape of a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.presidio.patterns import (
    Match,
    Patterns,
    patterns_fingerprint,
    shipped_patterns,
)
from sage_rag.privacy.recognizers.presidio.table import DEFAULT_ROWS, Row
from sage_rag.privacy.spans import Span

VERSION = 1
"""Raised with every change of the spans from the same release of Presidio."""

_CONTEXT_CHARS = 64
_CONTEXT_WORDS = 5
"""How far before a value its context word may be. Source: `context_prefix_count` of Presidio's
`LemmaContextAwareEnhancer`."""
_CONTEXT_GAIN, _CONTEXT_FLOOR = 0.35, 0.4
"""Source: Presidio's `LemmaContextAwareEnhancer`, its defaults."""
_MIN_SCORE = 0.31
"""Presidio gives 0.3 or less to forms that need a context word or a checksum."""
_MIN_STEM = 5
"""A context word of this length or more also counts with an ending: "passports"; a shorter one
("id", "sin") counts only unchanged."""
_ENDING = 3
"""Letters of the longest ending."""

PatternSource = Callable[[str], Patterns]


class _Rule:
    """One of Presidio's recognizers: its expressions, its check and its context words."""

    def __init__(self, row: Row, patterns: Patterns) -> None:
        import regex  # some expressions are not in the standard library's syntax

        self._row = row
        self._patterns = patterns
        # Presidio's own flags
        flags = regex.IGNORECASE | regex.MULTILINE | regex.DOTALL
        self._expressions = [(regex.compile(e, flags), score) for e, score in patterns.expressions]
        words = row.context or patterns.context
        self._context = _context(words)
        self._announcing = _first_words(words) if row.needs_context else None

    def is_possible(self, words: frozenset[str]) -> bool:
        """Return whether a text with these words (`_words`) can hold a value."""
        return self._announcing is None or not self._announcing.isdisjoint(words)

    def find(self, text: str) -> Iterator[Span]:
        for start, end, score in self._matches(text):
            if score >= _MIN_SCORE:
                yield Span(start, end, self._row.entity_type, score)

    def _matches(self, text: str) -> Iterator[Match]:
        if self._patterns.find:
            for start, end, score in self._patterns.find(text):
                yield start, end, self._with_context(text, start, score)
            return
        for expression, score in self._expressions:
            for match in expression.finditer(text):
                start, end = match.span()
                if start < end and _is_whole(text, start, end):
                    yield start, end, self._score(text, start, end, score)

    def _score(self, text: str, start: int, end: int, score: float) -> float:
        valid = self._check(text[start:end])
        if valid is False:
            return 0.0
        if valid and not self._row.needs_context:
            return 1.0
        score = self._with_context(text, start, score)
        return 1.0 if valid and score else score

    def _with_context(self, text: str, start: int, score: float) -> float:
        """Return a score as the words before the value change it."""
        if self._context and self._context.search(_before(text, start)):
            return min(1.0, max(score + _CONTEXT_GAIN, _CONTEXT_FLOOR))
        return 0.0 if self._row.needs_context else score

    def _check(self, value: str) -> bool | None:
        try:
            return self._patterns.check(value) if self._patterns.check else None
        except (ValueError, LookupError, TypeError):
            # A letter that the expression accepts and the check does not: hide the value.
            return None


def _is_whole(text: str, start: int, end: int) -> bool:
    """Return whether a match does not cut a word or number in two: some expressions would."""
    return not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum())


def _before(text: str, start: int) -> str:
    """Return the words before a value that may announce it."""
    nearby = text[max(0, start - _CONTEXT_CHARS) : start]
    return " ".join(nearby.split()[-_CONTEXT_WORDS:])


def _context(words: Sequence[str]) -> re.Pattern[str] | None:
    bare = sorted({w.strip(" #.").lower() for w in words} - {""})
    forms = [re.escape(w) + (rf"\w{{0,{_ENDING}}}" if len(w) >= _MIN_STEM else "") for w in bare]
    return re.compile(rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)", re.IGNORECASE) if forms else None


def _first_words(context: Sequence[str]) -> frozenset[str] | None:
    """Return a word of each context phrase, as `_words` spells it; `None` if one has no word."""
    found = [_WORD.search(_in_small_letters(phrase.strip(" #."))) for phrase in context]
    return frozenset(match.group() for match in found if match) if all(found) else None


def _words(text: str) -> frozenset[str]:
    """Return the words of a text in small letters, and long ones without each possible ending."""
    words = set(_WORD.findall(_in_small_letters(text)))
    cut = {word[:-n] for word in words for n in range(1, _ENDING + 1) if len(word) - n >= _MIN_STEM}
    return frozenset(words | cut)


def _in_small_letters(text: str) -> str:
    """Return a text in which letters that `re.IGNORECASE` does not distinguish are the same."""
    return text.lower().translate(_SAME_LETTERS)


_WORD = re.compile(r"\w+")
_SAME_LETTERS = str.maketrans({"ı": "i", "ſ": "s", "\u0307": None})


@cache
def _rules(rows: tuple[Row, ...], source: PatternSource) -> dict[Row, _Rule]:
    return {row: _Rule(row, source(row.name)) for row in rows}


_LEFT, _RIGHT = 16, 30
"""Every shape lies within these distances of a digit, in characters: the longest start without a
digit is that of an Italian fiscal code, the longest remainder that of a wallet."""
_DIGITS = re.compile(r"\d+")


def _around_digits(text: str) -> str:
    """Return the parts of a text where a shape can be: most texts have few digits, or none."""
    parts: list[str] = []
    covered = 0
    for match in _DIGITS.finditer(text):
        start, end = match.start() - _LEFT, match.end() + _RIGHT
        if start > covered:
            parts.append("\n")
            covered = start
        parts.append(text[covered:end])
        covered = end
    return "".join(parts)


class PresidioRecognizer:
    """Find structured values with Presidio's expressions, checksums and context words.

    A match counts when its checksum is valid, a context word is among the five words before it, or
    Presidio's own score for its form is over 0.3; rows with `needs_context` need the word in any
    case. `source` returns the patterns of a row: those that ship, or those of an installed
    Presidio.

    Guarantees: time linear in the length of the text for `DEFAULT_ROWS`; no network.
    Does not guarantee: the spans of Presidio's own engine. That compares lemmas, finds context
    words inside other words ("id" in "did"), and reports every match, however low its score.
    """

    def __init__(
        self,
        rows: tuple[Row, ...] = DEFAULT_ROWS,
        source: PatternSource = shipped_patterns,
    ) -> None:
        self._rows = rows
        self._source = source
        # A dozen shapes serve all rows: each is looked for once.
        self._shapes = {row.shape: re.compile(row.shape) for row in rows}

    @cached_property
    def fingerprint(self) -> str:
        """Presidio's version, a digest of its table, the rows in use, and our version."""
        return f"presidio-{patterns_fingerprint()}-{len(self._rows)}-{VERSION}"

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of all rows; different rows' spans may overlap."""
        near = _around_digits(text)
        present = {shape for shape, regex in self._shapes.items() if regex.search(near)}
        if not present:
            return []
        rules = _rules(self._rows, self._source)
        words = _words(text)
        best: dict[tuple[int, int, EntityType], Span] = {}
        for row in self._rows:
            if row.shape in present and rules[row].is_possible(words):
                for span in rules[row].find(text):
                    key = (span.start, span.end, span.entity_type)
                    if key not in best or best[key].score < span.score:
                        best[key] = span
        return list(best.values())
