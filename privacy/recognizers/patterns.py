"""The recognizer for values with a form: patterns, each with an optional check of its match."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from privacy.entities import EntityType
from privacy.fingerprints import source_digest
from privacy.spans import Span

VERSION = 1

Check = Callable[[re.Match[str]], tuple[int, int] | None]
"""Judges a match: the range that holds the value, or `None` when it is no value."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One regular expression for one entity type.

    The value is the group called `value`, else the whole match; `check` overrides both.
    `needs`: a text without any of these characters is skipped, which saves most of the time.
    Every expression must be linear in the text: bounded or possessive repetition only.
    """

    entity_type: EntityType
    regex: re.Pattern[str]
    score: float = 0.8
    check: Check | None = None
    needs: str = ""

    def find(self, text: str) -> Iterator[Span]:
        """Yield the spans of one text, in order."""
        if self.needs and not any(c in text for c in self.needs):
            return
        for match in self.regex.finditer(text):
            found = self.check(match) if self.check else _value(match)
            if found and found[0] < found[1]:
                yield Span(*found, self.entity_type, self.score)


def _value(match: re.Match[str]) -> tuple[int, int]:
    return match.span("value") if "value" in match.re.groupindex else match.span()


def trimmed(match: re.Match[str]) -> tuple[int, int] | None:
    """Check: drop the punctuation of the sentence from the end of a match."""
    value = match.group().rstrip(".,;:!?'\"*>)]}")
    return (match.start(), match.start() + len(value)) if value else None


class PatternRecognizer:
    """Find structured values: addresses of all kinds, numbers, dates, ages.

    Guarantees: time linear in the length of the text.
    """

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._patterns = tuple(patterns)
        # A check is code, which no digest of expressions would see: the package's source is.
        rules = source_digest("privacy.recognizers")
        expressions = "\n".join(
            f"{p.entity_type}\t{p.score}\t{p.needs}\t{p.regex.flags}\t{p.regex.pattern}"
            for p in self._patterns
        )
        digest = hashlib.sha256(f"{rules}\n{expressions}".encode()).hexdigest()[:8]
        self._fingerprint = f"patterns-{VERSION}-{digest}"

    @property
    def fingerprint(self) -> str:
        """Version and a digest of all patterns."""
        return self._fingerprint

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of all patterns; different patterns' spans may overlap."""
        return [span for pattern in self._patterns for span in pattern.find(text)]
