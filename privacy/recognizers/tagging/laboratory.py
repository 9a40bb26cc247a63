"""Decide by the words around a value whether it is a laboratory's: "8 ng", "a titre of 1:320".

Tests have names of persons ("ADA", "Apgar"). In capitals a patient's name looks like the name of a
test, so an abbreviation counts only where a result follows it.
"""

from __future__ import annotations

import re

from sage_rag.privacy.recognizers.tagging.clinical_words import ABBREVIATIONS, NUMBER

_I = re.IGNORECASE
_AMOUNT = (
    r"(?:[fnpµμu]g|mcg|(?:milli|micro|nano|pico)grams?|[mµμu]?iu|m?units?|meq|mosm|[mµμunp]mol"
    r"|u(?=/))"
)
_PER = r"(?:[ ]?(?:/|per)[ ]?(?:(?:d|m|µ|μ|u)?l|lit(?:re|er)|(?:deci|milli)lit(?:re|er)|mg|g)\b)?"
_UNIT = rf"{_AMOUNT}(?![a-z]){_PER}"
_FIGURE = r"\d{1,5}(?:[.,]\d{1,3})?"
_WITH_UNIT = re.compile(rf"(?:{_FIGURE}[ ]?)?{_UNIT}(?:[ ]per)?", _I)
_UNIT_AFTER = re.compile(rf"[ ]?{_UNIT}", _I)
_FIGURE_ALONE = re.compile(_FIGURE)
_TITRE = re.compile(r"1:(?:[6-9]\d|\d{3,5})")
"""A dilution; below 1:60 it could be an hour."""

_ABBREVIATIONS = frozenset(
    "ADA AMA ANA ASA ASMA CAM CEA DASH ELISA ENA IRIS LISA MARS NASH NAT PAM ROMA SARA".split()
)
"""Tests and conditions in capitals that are names, too."""
_RESULT = (
    r"(?:levels?|titres?|titers?|scores?|tests?|assays?|antibod(?:y|ies)|index|inhibitors?|diet"
    r"|class)\b"
)
_VERB = r"(?:(?:is|was|of|at|came[ ]back|positive|negative|reads?)[ ]){0,3}"
_RESULT_AFTER = re.compile(
    rf"[ ](?:{_RESULT}|(?:{_RESULT}[ ])?{_VERB}(?:{_FIGURE}[ ]?{_UNIT}|1:\d))"
    rf"|[ ]?[=:][ ]?{_FIGURE}|[ ](?:on|at)[ ]biopsy\b",
    _I,
)
_SAMPLE_BEFORE = re.compile(
    r"\b(?:pleural|serum|plasma|csf|urin(?:e|ary)|salivary|biopsy[- ]proven)[ ]\Z", _I
)

_APGAR_BEFORE = re.compile(
    rf"\bapgars?\b(?:[ ](?:scores?|was|were|is|of|at|and|then|{NUMBER}|minutes?|one|five|ten)\b"
    r"|[ ]?[,/:=-])*[ ]?\Z",
    _I,
)
_POINTS = re.compile(r"(?:10|\d)(?:[ ]?(?:[/,-]|and)[ ]?(?:10|\d)){0,2}", _I)


_MEASURED = "|".join(sorted(ABBREVIATIONS - {"MRN", "EDD", "LMP"}))
"""Without the number of a record, and dates."""
_TEST = rf"(?:{_MEASURED}|Hb|HbA1c|FT[34]|T[34]|[Pp]lt|PLT|[Tt]roponin|pH|p[CO]O?2|HCO3|[Cc]rea)"
_ELEMENT = r"(?:Na|K|Cl|Ca|Mg|Cr|Fe)"
"""Symbols that are also initials of a person or of a street: a test in a series alone."""
_IS = r"[ ]?(?:was|is|of|at|[=:])?[ ]?"
_BETWEEN = r"[ ]?(?:[,;/]|and\b)?[ ]?"
_READING = rf"(?:{_TEST}|{_ELEMENT}){_IS}{_FIGURE}[ ]?%?"
_ONE_READING = re.compile(_READING)
_SERIES = re.compile(rf"{_READING}(?:{_BETWEEN}{_READING})*")
_NAMES_A_TEST = re.compile(rf"(?<!\w){_TEST}(?!\w)")
_SYMBOL = re.compile(rf"{_TEST}|{_ELEMENT}")
_READ_BEFORE = re.compile(rf"(?<!\w)(?P<name>{_TEST}|{_ELEMENT}){_IS}\Z")
_READ_AFTER = re.compile(rf"{_IS}{_FIGURE}(?![\w/-])")
_NEIGHBOUR_BEFORE = re.compile(rf"(?<!\w){_READING}{_BETWEEN}\Z")
_NEIGHBOUR_AFTER = re.compile(rf"(?:{_IS}{_FIGURE}[ ]?%?)?{_BETWEEN}{_READING}")


def is_reading(value: str, before: str, after: str) -> bool:
    """Return whether a value is the name of a test, its result without a unit, or several of them.

    "ALT 68, AST 71" names no person and no place. A symbol such as "K" counts in a series alone.
    """
    if _SERIES.fullmatch(value):
        name = value
        if len(_ONE_READING.findall(value)) > 1:
            return True
    elif _SYMBOL.fullmatch(value) and _READ_AFTER.match(after):
        name = value
    elif _FIGURE_ALONE.fullmatch(value) and (read := _READ_BEFORE.search(before)):
        name = read["name"]
    else:
        return False
    return bool(
        _NAMES_A_TEST.match(name)
        or _NEIGHBOUR_BEFORE.search(before)
        or _NEIGHBOUR_AFTER.match(after)
    )


def is_result(value: str, before: str, after: str) -> bool:
    """Return whether a number is a laboratory's: with its unit, a dilution, points of Apgar."""
    if _WITH_UNIT.fullmatch(value) or _TITRE.fullmatch(value):
        return True
    if _FIGURE_ALONE.fullmatch(value) and _UNIT_AFTER.match(after):
        return True
    return bool(_POINTS.fullmatch(value) and _APGAR_BEFORE.search(before))


def is_test(value: str, before: str, after: str) -> bool:
    """Return whether a name in capitals is a test's: "the ADA level", "ANA positive at 1:320"."""
    if value not in _ABBREVIATIONS:
        return False
    return bool(_RESULT_AFTER.match(after) or _SAMPLE_BEFORE.search(before))
