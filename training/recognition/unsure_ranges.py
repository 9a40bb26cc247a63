"""Find ranges that may be private although a set does not mark them; they do not train.

Each rule takes a text and its marked ranges with labels, and returns ranges. The caller drops
those that overlap a marked range.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sage_rag.privacy.recognizers.lexicon import Kind, default_lexicon, fold

Marks = Sequence[tuple[int, int, str]]
Rule = Callable[[str, Marks], list[tuple[int, int]]]

_MONTHS = "January February March April May June July August September October November December"
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
_DATE = re.compile(
    r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}/\d{1,2}/\d{2,4}\b|\b(?:19|20)\d\d\b|\b(?:\d\d)?\d0s\b|"
    rf"\b(?:{_MONTHS.replace(' ', '|')}) \d{{1,4}}\b|\b(?:{_DAYS.replace(' ', '|')})\b"
)
_CODE = re.compile(r"(?<!\S)(?:(?=\S*[A-Z])(?=(?:\S*?\d){3})|(?=(?:\S*?\d){4}))\S+")
_CAPITALISED = re.compile(r"(?<=[a-z,] )[A-Z][\w'’-]*(?:(?: (?:of|the|and|for))? [A-Z][\w'’-]*)*")
_RUN = re.compile(r"\b[A-Z][\w'’-]*(?:(?: (?:of|the|and|for))? [A-Z][\w'’-]*)+")
_INSTITUTION = re.compile(
    r"\b(?:Aid|Bank|Cent(?:er|re)|Clinic|College|County|Court|District|Hospital|Institute|Law|"
    r"Medicine|Pharmacy|School|Street|University)\b"
)
_NAMING = frozenset({Kind.GIVEN, Kind.SURNAME, Kind.PLACE, Kind.GREAT_PLACE})
_WORD = re.compile(r"[^\W\d_]{3,}")


def dates(text: str, marks: Marks) -> list[tuple[int, int]]:
    """Return calendar dates, years, decades and weekdays."""
    return [match.span() for match in _DATE.finditer(text)]


def codes(text: str, marks: Marks) -> list[tuple[int, int]]:
    """Return words with four digits, or with three digits and a capital."""
    return [match.span() for match in _CODE.finditer(text)]


def capitalised(text: str, marks: Marks) -> list[tuple[int, int]]:
    """Return runs of capitalised words inside a sentence, and single ones that are not ordinary."""
    known = default_lexicon()
    return [
        match.span()
        for match in _CAPITALISED.finditer(_without(text, marks))
        if " " in match[0] or not known.is_word(fold(match[0]))
    ]


def name_parts(text: str, marks: Marks) -> list[tuple[int, int]]:
    """Return words that also occur in a marked name of the text, in any case."""
    parts = {
        word[0].casefold()
        for start, end, label in marks
        if label == "PERSON_NAME"
        for word in _WORD.finditer(text, start, end)
    }
    return [match.span() for match in _WORD.finditer(text) if match[0].casefold() in parts]


def proper_names(text: str, marks: Marks) -> list[tuple[int, int]]:
    """Return runs of capitalised words that contain a name or an institution."""
    known = default_lexicon()
    return [
        match.span()
        for match in _RUN.finditer(_without(text, marks))
        if _INSTITUTION.search(match[0])
        or any(
            _NAMING & set(known.kinds_of(word)) and not known.is_word(word)
            for word in map(fold, _WORD.findall(match[0]))
        )
    ]


def _without(text: str, marks: Marks) -> str:
    """Return the text with line breaks in place of marked values."""
    for start, end, _ in marks:
        text = text[:start] + "\n" * (end - start) + text[end:]
    return text
