"""Sentence borders in running text."""

from __future__ import annotations

import re

_END = re.compile(
    r"(?<=[.!?])(?<!\b[DMS][rst]\.)(?<!\bMrs\.)(?<!\bProf\.)(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)\s+"
    r"|\n+"
)
_FULL_WIDTH_END = re.compile(
    rf"{_END.pattern}|(?<=[。！？])(?![。！？”’」』）])|(?<=[。！？][”’」』）])"
)


def sentence_spans(text: str, *, full_width: bool = True) -> list[tuple[int, int]]:
    """Return `[start, end)` of each sentence, in order, without white space at its ends.

    A sentence ends at a line break, and at `.`, `!` or `?` before white space, except after a
    common abbreviation. `full_width`: it also ends at `。`, `！` or `？`. Outside of the spans
    there is only white space. Linear in the text.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in (_FULL_WIDTH_END if full_width else _END).finditer(text):
        spans.append((start, match.start()))
        start = match.end()
    return [_trimmed(text, a, b) for a, b in (*spans, (start, len(text))) if text[a:b].strip()]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return end - len(part.lstrip()), start + len(part.rstrip())
