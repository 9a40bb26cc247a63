"""Presidio's recognizers of structured values, on this kernel's terms.

What Presidio has collected for years (the forms of many countries' numbers, their checksums, the
words beside them) is taken from the installed `presidio-analyzer`; its engine, which tags every
text with spaCy first, is not. Presidio is MIT-licensed (Microsoft and contributors).

Nothing of it is imported until a text holds something with the shape of a value: the import takes
seconds, because it brings spaCy and, where installed, torch.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import version
from typing import Any

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.presidio.table import ADOPTED, Adopted
from sage_rag.privacy.spans import Span

VERSION = 1
"""Raised with every change of the spans from the same version of Presidio."""

_CONTEXT_CHARS = 64
_CONTEXT_WORDS = 5
"""How far before a value its context word may stand. Source: `context_prefix_count` of Presidio's
`LemmaContextAwareEnhancer`."""
_CONTEXT_GAIN, _CONTEXT_FLOOR = 0.35, 0.4
"""Source: Presidio's `LemmaContextAwareEnhancer`, its defaults."""
_MIN_SCORE = 0.31
"""Presidio gives 0.3 and less to forms that need a word or a checksum to be believed."""
_STEM = 5
"""A context word of so many letters also counts with an ending: "passports"; a shorter one ("id",
"sin") only as it is."""


@dataclass(frozen=True, slots=True)
class _Expression:
    regex: Any
    score: float


def presidio_recognizer(name: str) -> Any:
    """Return a new instance of one of Presidio's recognizers, which asks no network for anything.

    Its e-mail recognizer would fetch the list of public suffixes; the copy in `tldextract` serves.
    Its log is switched off: the IBAN recognizer writes what it cannot check into it.
    """
    return getattr(_library(), name)()


@cache
def _library() -> Any:
    suffixes: Any = import_module("tldextract.tldextract")
    suffixes.TLD_EXTRACTOR = suffixes.TLDExtract(suffix_list_urls=(), cache_dir=None)
    logging.getLogger("presidio-analyzer").disabled = True
    return import_module("presidio_analyzer.predefined_recognizers")


class _Rule:
    """One of Presidio's recognizers: its expressions, its checks and its context words."""

    def __init__(self, row: Adopted) -> None:
        self._presidio = presidio_recognizer(row.name)
        self._row = row
        base = import_module("presidio_analyzer").PatternRecognizer
        self._expressions: list[_Expression] | None = None
        if type(self._presidio).analyze is base.analyze:
            compiler = import_module("regex")  # some are not of the standard library's kind
            self._expressions = [
                _Expression(compiler.compile(p.regex, self._presidio.global_regex_flags), p.score)
                for p in self._presidio.patterns
                if ".*" not in p.regex  # would read the rest of the text at every place
            ]
        self._context = _context(row.context or tuple(self._presidio.context or ()))

    def find(self, text: str) -> Iterator[Span]:
        for start, end, score in self._matches(text):
            if score >= _MIN_SCORE:
                yield Span(start, end, self._row.entity_type, score)

    def _matches(self, text: str) -> Iterator[tuple[int, int, float]]:
        if self._expressions is None:  # it judges its matches itself: telephone numbers, IBANs
            for found in self._presidio.analyze(text, self._presidio.supported_entities, None):
                yield found.start, found.end, self._announced(text, found.start, found.score)
            return
        for expression in self._expressions:
            for match in expression.regex.finditer(text):
                start, end = match.span()
                if start < end and _is_whole(text, start, end):
                    yield start, end, self._score(text, start, end, expression.score)

    def _score(self, text: str, start: int, end: int, score: float) -> float:
        valid = self._valid(text[start:end])
        if valid is False:
            return 0.0
        if valid and not self._row.announced:
            return 1.0
        score = self._announced(text, start, score)
        return 1.0 if valid and score else score

    def _announced(self, text: str, start: int, score: float) -> float:
        """Return a score as the words before the value change it."""
        if self._context and self._context.search(_before(text, start)):
            return min(1.0, max(score + _CONTEXT_GAIN, _CONTEXT_FLOOR))
        return 0.0 if self._row.announced else score

    def _valid(self, value: str) -> bool | None:
        """Return what the checksum says, `None` where there is none."""
        try:
            if self._presidio.invalidate_result(value):
                return False
            valid: bool | None = self._presidio.validate_result(value)
        except (ValueError, LookupError, TypeError):
            # An exotic letter that the expression takes and the checksum does not: hide the value.
            return None
        return valid


def _is_whole(text: str, start: int, end: int) -> bool:
    """Return whether a match does not cut a word or number in two: some expressions would."""
    return not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum())


def _before(text: str, start: int) -> str:
    """Return the words before a value that may announce it."""
    nearby = text[max(0, start - _CONTEXT_CHARS) : start]
    return " ".join(nearby.split()[-_CONTEXT_WORDS:])


def _context(words: Sequence[str]) -> re.Pattern[str] | None:
    plain = sorted({w.strip(" #.").lower() for w in words})
    told = [re.escape(w) + (r"\w{0,3}" if len(w) >= _STEM else "") for w in plain if w]
    return re.compile(rf"(?<!\w)(?:{'|'.join(told)})(?!\w)", re.IGNORECASE) if told else None


@cache
def _rules(rows: tuple[Adopted, ...]) -> dict[Adopted, _Rule]:
    return {row: _Rule(row) for row in rows}


_LEFT, _RIGHT = 16, 30
"""Every shape lies within so many characters of a digit: the longest start without one is that of
an Italian fiscal code, the longest remainder that of a wallet."""
_DIGITS = re.compile(r"\d+")


def _near_digits(text: str) -> str:
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

    A match counts when its checksum holds, a context word stands within five words before it, or
    Presidio's own score for its form is over 0.3; rows marked `announced` need the word in any
    case.

    Guarantees: time linear in the length of the text for `ADOPTED`; no network.
    Does not guarantee: the spans of Presidio's own engine. That compares lemmas, finds context
    words inside other words ("id" in "did"), and reports every match, however low its score.
    """

    def __init__(self, rows: tuple[Adopted, ...] = ADOPTED) -> None:
        self._rows = rows
        # A dozen shapes serve all rows: each is looked for once.
        self._shapes = {row.shape: re.compile(row.shape) for row in rows}

    @cached_property
    def fingerprint(self) -> str:
        """Presidio's version, the number of rows in use, and our version."""
        return f"presidio-{version('presidio-analyzer')}-{len(self._rows)}-{VERSION}"

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of all rows; different rows' spans may overlap."""
        near = _near_digits(text)
        present = {shape for shape, regex in self._shapes.items() if regex.search(near)}
        if not present:
            return []
        rules = _rules(self._rows)
        best: dict[tuple[int, int, EntityType], Span] = {}
        for row in self._rows:
            if row.shape in present:
                for span in rules[row].find(text):
                    key = (span.start, span.end, span.entity_type)
                    if key not in best or best[key].score < span.score:
                        best[key] = span
        return list(best.values())
