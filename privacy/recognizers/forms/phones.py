"""Patterns of telephone numbers in many national forms, and of numbers that only look like one."""

from __future__ import annotations

import re
from itertools import accumulate

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.patterns import pattern

_MAX_GROUPS = 8
"""No country writes a number in more groups. Bounds the work on hostile input."""
_GROUP = re.compile(r"\d+")
_NOUNS = (
    "phone|ph|tel|telephone|mobile|mob|cell|cellphone|call|calling|called|fax|ring|desk|contact"
    "|whatsapp|sms|text|texts|message|messages|reach|landline|hotline|helpline|number|dial"
    "|registered|answer|answering|answers"
)
_LINKS = "me|us|him|her|to|at|on|is|number|no|registered|my|the|of|from"
_LABELS = "office|home|work|m|t|p|f"
_CUE = re.compile(
    rf"(?<![A-Za-z])(?:(?:{_NOUNS})(?:[ ](?:{_LINKS})){{0,4}}[\s:.=#()*-]{{0,4}}"
    rf"|(?:{_LABELS})[ ]?:\s{{0,2}})$",
    re.IGNORECASE,
)
_CUE_ENDS = tuple("|".join((_NOUNS, _LINKS, _LABELS)).split("|"))
_MARKS = ":.=#()*-" + "".join(c for c in map(chr, range(0x3001)) if c.isspace())
"""All signs between a cue and its number; `_CUE` is tried only after one of its words and these."""
_AFTER = re.compile(r"[ -]{0,3}(?:office|fax|mobile|cell|home|work|desk|phone)\b", re.IGNORECASE)
_DATE = re.compile(r"\d{1,2}[ .-]\d{1,2}[ .-](?:\d{4}|\d{2})|(?:19|20)\d\d[ .-]\d{1,2}[ .-]\d{1,2}")
_NORTH_AMERICAN = re.compile(r"(?:1[ .-]?)?(?:\(\d{3}\)[ .-]{0,3}|\d{3}[ .-])\d{3}[ .-]\d{4}")
_PAIRS = re.compile(r"\d{2}(?:([ .-])\d{2})(?:\1\d{2}){2,3}")
_IN_PARENTHESES = re.compile(r"\(\d{2,5}\)[ ]?\d{2,4}[ .-]?\d{2,4}(?:[ .-]?\d{2,4})?")
_MOBILE = re.compile(r"[6-9]\d{4}[ -]?\d{5}|1[3-9]\d[ -]?\d{4}[ -]?\d{4}")
"""India and China: ten digits from 6 to 9, eleven digits from 13 to 19."""
_TRUNK = re.compile(r"\(?0[1-9].*")
_DAY_OR_MONTH, _YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:19|20)\d\d"
_APART = re.compile(
    rf"(?<![\d./-])(?:{_DAY_OR_MONTH}[./-]{_DAY_OR_MONTH}[./-]{_YEAR}"
    rf"|{_YEAR}[./-]{_DAY_OR_MONTH}[./-]{_DAY_OR_MONTH}"
    r"|\d{1,3}(?:\.\d{1,3}){3}|\d{3}-\d{2}-\d{4})(?![./-]?\d)"
)
"""A date, an address of a network, a social security number: no part of a number next to it."""
_REACH = 14
"""Characters around a number in which such a value can begin or end: `255.255.255.0`."""
_EXTENSION = re.compile(r"[ ,]{0,2}(?:x|ext\.?|extension|#)[ .:]{0,2}\d{1,6}(?!\d)", re.IGNORECASE)


def _phone(match: re.Match[str]) -> tuple[int, int] | None:
    """Return the longest run of the match's digit groups that looks like a telephone number."""
    text = match.string
    groups = [g.span() for g in _GROUP.finditer(text, match.start(), match.end())]
    if all(end - start == 1 for start, end in groups):
        return None
    before = list(accumulate((end - start for start, end in groups), initial=0))
    for length in range(min(len(groups), _MAX_GROUPS), 0, -1):
        for first in range(len(groups) - length + 1):
            if not 7 <= before[first + length] - before[first] <= 15:
                continue
            start = _opening(text, match.start(), groups[first][0])
            end = groups[first + length - 1][1]
            if _looks_like_phone(text, start, end, before[first + length] - before[first]):
                extension = _EXTENSION.match(text, end)
                return start, extension.end() if extension else end
    return None


def _opening(text: str, floor: int, start: int) -> int:
    """Return the place of a `+` or `(` that belongs to the number."""
    while start > floor and text[start - 1] in "+(":
        start -= 1
    if text.startswith("(+", start):  # "(+1 (713) ...": the first belongs to the sentence
        start += 1
    return start


def _looks_like_phone(text: str, start: int, end: int, digits: int) -> bool:
    value = text[start:end]
    if value.count("(") != value.count(")") or _DATE.fullmatch(value):
        return False
    if value.startswith(("+", "00")):
        return digits >= 8
    if _takes_another(text, start, end):
        return False
    if _NORTH_AMERICAN.fullmatch(value) or _MOBILE.fullmatch(value):
        return True
    if _PAIRS.fullmatch(value) or _IN_PARENTHESES.fullmatch(value):
        return True
    if _TRUNK.fullmatch(value) and 9 <= digits <= 12:
        return True
    return _has_cue(text, start, end)


def _takes_another(text: str, start: int, end: int) -> bool:
    """Return whether a number holds digits of a value of `_APART`, and is not that value."""
    around = _APART.finditer(text, max(0, start - _REACH), min(len(text), end + _REACH))
    return any(
        found.start() < end and start < found.end() and found.span() != (start, end)
        for found in around
    )


def _has_cue(text: str, start: int, end: int) -> bool:
    """Return whether the words around a number introduce a telephone number."""
    before = text[max(0, start - 50) : start]
    possible = before.rstrip(_MARKS).casefold().endswith(_CUE_ENDS)
    return bool((possible and _CUE.search(before)) or _AFTER.match(text, end))


PHONES = (
    pattern(
        EntityType.PHONE_NUMBER,
        r"(?<![\w./$€£@])(?<!\d[,-])(?<![A-Za-z]-)[+(]{0,2}\d"
        r"(?:[ .()\u00a0\u2011-]{0,3}\d){6,19}"
        r"(?![\w@/]|[.,]\d)(?:x\d{1,6})?",
        0.8,
        _phone,
    ),
    pattern(
        EntityType.PHONE_NUMBER,
        r"(?<![\w.,/$€£@+-])[+(]{0,2}\d(?:[ .()\u00a0-]{0,3}\d){6,14}"
        r"(?=[ ]?(?:x|ext\.?|extension)[ .]?\d)",
        0.8,
        _phone,
        ignore_case=True,
    ),
    pattern(EntityType.PHONE_NUMBER, r"(?<![\w.,/-])0\d{2,4}[ ]?/[ ]?\d{4,9}(?![\w/-])"),
    pattern(
        EntityType.PHONE_NUMBER,
        r"\b1-?[89]\d\d-(?=[\d-]{0,8}[A-Z])[A-Z0-9]{3,7}(?:-[A-Z0-9]{3,7})?\b",
    ),
)
