"""Numbers in words and in figures: `two years` and `2 years`, `the twelfth` and `the 12th`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sage_rag.privacy.english import ONES, TENS, number_of

HUNDRED, THOUSAND = 100, 1000
ORDINALS = tuple(
    (
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
        " thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
        " twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth"
        " twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
    ).split()
)
"""The days of a month."""
_LARGE = {10**9: "billion", 10**6: "million", THOUSAND: "thousand"}
_UNIT = "|".join(ONES[1:10])
_IN_WORDS = re.compile(
    rf"\b(?:(?:{'|'.join(TENS)})(?:[ -](?:{_UNIT}))?|{'|'.join(reversed(ONES[1:]))})\b", re.I
)
_IN_FIGURES = re.compile(r"(?<![\w.,:/])[1-9]\d?(?![.,:/]?\d|\w)")
_ORDINAL = re.compile(rf"\b(?:{'|'.join(reversed(ORDINALS))})\b(?!-)", re.I)
_UNITS = re.compile(r"(?<=\d)([ -][^\W\d_]{2,}?)s\b|(?<=\d)([ -](?:day|week|month|year))\b")
_NAMED = re.compile(r"[^\W\d_]{2,}")
_AGE = re.compile(r"(?:\b(?:aged?|age of) |\b)(\d{1,3})(?:[ -]years?[ -]olds?\b)?", re.I)


def number_spellings(text: str) -> Iterator[str]:
    """Yield a value with its numbers up to 99 in words, in figures, and in forms of an age.

    `2 years` gives `two years`, `2-year` and `two-year`; `aged 34` gives `34-year-old` and
    `thirty-four years old`. A number without a word has no other form: `five` is in every text.
    Does not guarantee: that `two years` leaves `twenty-two years` allowed.
    """
    figures = _IN_WORDS.sub(lambda match: str(number_of(match.group())), text)
    figures = figures.replace("%", " per cent")
    if not _NAMED.search(figures):
        return
    forms = {figures, _UNITS.sub(_other_number, figures), *_ages(figures)}
    forms |= {_IN_FIGURES.sub(lambda match: in_words(int(match.group())), form) for form in forms}
    yield from sorted(forms - {text})


def ordinals_in_figures(text: str) -> str:
    """Return a text with `12th` for `twelfth`."""
    return _ORDINAL.sub(lambda match: f"{1 + ORDINALS.index(match.group().lower())}th", text)


def year_in_words(year: int) -> set[str]:
    """Return a year as it is read: `nineteen eighty-four`, `two thousand and eleven`."""
    century, rest = divmod(year, HUNDRED)
    found = {in_words(year), in_words(year).replace(" and ", " ")}
    if century % 10 and not rest:
        found.add(f"{in_words(century)} hundred")
    elif rest >= 10:  # `twenty ten`, but `two thousand nine`
        found.add(f"{in_words(century)} {in_words(rest)}")
    return found


def in_words(number: int) -> str:
    """Return a whole number from 0 in words: `three hundred and forty-five`."""
    if number < len(ONES):
        return ONES[number]
    if number < HUNDRED:
        tens, rest = TENS[number // 10 - 2], number % 10
        return f"{tens}-{ONES[rest]}" if rest else tens
    if number < THOUSAND:
        hundreds, rest = f"{ONES[number // HUNDRED]} hundred", number % HUNDRED
        return f"{hundreds} and {in_words(rest)}" if rest else hundreds
    size = next(size for size in _LARGE if number >= size)
    large, rest = f"{in_words(number // size)} {_LARGE[size]}", number % size
    joint = " and " if 0 < rest < HUNDRED else " "
    return f"{large}{joint}{in_words(rest)}" if rest else large


def _other_number(match: re.Match[str]) -> str:
    """Return the singular of a plural unit, the plural of a singular one."""
    return match[1] or f"{match[2]}s"


def _ages(text: str) -> Iterator[str]:
    match = _AGE.fullmatch(text.strip())
    if match and not text.strip().isdigit():
        years = match[1]
        yield from (f"{years}-year-old", f"{years} years old", f"aged {years}", f"age of {years}")
