"""Remove spans that are not private: numbers found as ages, names of diseases, relative times.

"LDL below 70" is not an age, and "Lewy" in "Lewy body" is not a person. Hidden or coarsened, they
would change the doctor's answer. The tagger learnt most of this (`docs/results/tagger.md`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.eponyms import is_eponym
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.forms.times import is_relative
from sage_rag.privacy.recognizers.tagging.clinical_words import (
    FINDINGS,
    KIND,
    NUMBER,
    PEOPLE,
    THING_ALONE,
    THINGS,
    UNIT,
)
from sage_rag.privacy.recognizers.tagging.laboratory import is_reading, is_result, is_test
from sage_rag.privacy.recognizers.tagging.measurements import (
    is_called_age,
    is_not_age,
)
from sage_rag.privacy.spans import Span

VERSION = 9
"""Raised with every change of what counts as medicine."""

_REACH = 120
"""Characters before and after a span that are read."""
_NAMED = (
    EntityType.PERSON,
    EntityType.ORGANIZATION,
    EntityType.LOCATION,
    EntityType.ID,
    EntityType.DEMOGRAPHIC,
    EntityType.MISC,
)
_COUNTED = (EntityType.QUANTITY, EntityType.ID, EntityType.AGE, EntityType.DATE_TIME)
_TERMS = frozenset(
    (
        *("c. diff", "c. difficile", "e. coli", "h. pylori", "glasgow coma scale"),
        *("glasgow coma score", "iban", "bic", "ssn", "npi", "mrn", "imei"),
        *("ebola", "zika", "west nile", "west nile virus", "roux-en-y"),
    )
)
"""Names of germs, scales and numbers that look like names of people or events, in lower case."""
_CLASS = re.compile(
    r"(?<!\w)(?:[acpry]{0,3}T(?:[0-4][a-d]?|is|X)[ ]?N[0-3X][a-c]?(?:[ ]?M[01X][a-c]?)?"
    r"|(?:NYHA|ASA|ECOG|GOLD|KDIGO|CHA2DS2-VASc|HAS-BLED|GCS|MMSE|MoCA|EPDS|PHQ-9|GAD-7)"
    r"(?:[ ](?:class|grade|stage|score))?[ :]{1,2}(?:[0-3]?\d|I{1,3}|IV|VI?)(?:/\d{2})?)(?!\w)"
)
"""A stage of a tumour (TNM), or a scale in capitals with its class or points: "NYHA II"."""
_EMERGENCY = re.compile(r"(?<![\w&])A ?& ?E(?![\w&])\.?")
"""The emergency department: a name of no hospital."""
_CLASS_REACH = 24
_I = re.IGNORECASE
_PRESSURE = re.compile(r"(?<![\d/.])(?:[7-9]\d|1\d\d|2[0-5]\d)/(?:[3-9]\d|1[0-5]\d)(?![\d/])")
_PRESSURE_BEFORE = re.compile(
    r"(?:\b(?:pressures?|hypertens\w{2,4})|(?-i:\bBP))\b[^.!?\n]{0,40}\Z", _I
)
_PRESSURE_AFTER = re.compile(
    r"[\d/]{0,4}[ ]?(?:mm[ ]?hg\b|(?:is|was)[ ](?:measured|recorded|noted|her|his|my)\b)", _I
)
_BARE = re.compile(rf"{NUMBER}|\d{{1,3}}[ ]?(?:lbs?|kgs?)", _I)
_ORDINAL = re.compile(r"\d{1,3}(?:st|nd|rd|th)", _I)
_LENGTH = re.compile(
    rf"(?:{NUMBER}[ ]?(?:-|–|/|to|or)[ ]?)?{NUMBER}"
    rf"(?:\+|[ ]\d/\d|[ ]or[ ](?:more|so))?[ ]?-?{UNIT}",
    _I,
)
_UNIT_ALONE = re.compile(UNIT, _I)

_WHOLE_BEFORE = re.compile(r"\d{1,3}\.\Z")
_LENGTH_BEFORE = re.compile(
    rf"(?<![\w.,/-])(?:\d{{1,2}}[ ](?=\d/))?{NUMBER}[ ]?(?:-|–|/|to\b|or\b|)[ ]?\Z", _I
)
_LENGTH_AFTER = re.compile(
    rf"(?:[ ]?(?:-|–|/|to|or)[ ]?{NUMBER}|[ ]or[ ](?:more|so)|\+)?[ ]?-?{UNIT}(?!\w)", _I
)
_UNIT_AFTER = re.compile(rf"[ ]?{UNIT}", _I)
_HISTORY_BEFORE = re.compile(r"\b(?:since|for|past|last|within|in|over|after|span[ ]of)[ ]\Z", _I)
_HISTORY_AFTER = re.compile(r"[ ](?:ago|back|later|now)\b", _I)
_OVER_BEFORE = re.compile(rf"\b{PEOPLE}[ ]over[ ]\Z", _I)
_OLD_AFTER = re.compile(r"[ -]*(?:olds?\b|of[ ]age)", _I)

_OCLOCK = re.compile(r"\d{1,2}[ ]?[ap]\.?m\b\.?", _I)
_WEEK = re.compile(r"(?:the[ ])?\d{1,2}(?:st|nd|rd|th)[ ](?:week|trimester)s?", _I)
"""Of a pregnancy or a treatment."""
_HOUR_BEGUN = re.compile(r"\d{1,2}(?:[ ]?(?:to|-|and))?", _I)
_HOUR_AFTER = re.compile(r"(?:[ ]?(?:to|-|and))?[ ]?\d{1,2}[ ]?[ap]\.?m\b", _I)
_HOUR_BEFORE = re.compile(
    r"\b(?:rings?|alarm|wok?en?|wakes?|up|opens?|closes?|call|meet|appointment)"
    r"(?:[ ](?:me|him|her|us))?(?:[ ]up)?[ ](?:at|by|before|until|till)[ ]\Z",
    _I,
)
_OF_A_CLOCK = re.compile(
    r"[1-9]|1[0-2]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve", _I
)
_PART_OF_DAY_AFTER = re.compile(
    r"[ ](?:in[ ]the[ ](?:morning|afternoon|evening)|at[ ]night|o['’]clock|sharp)\b", _I
)

_OLD = re.compile(rf"{NUMBER}[ -]{{0,3}}(?P<unit>{UNIT})[ -]{{0,3}}olds?", _I)
_THING_AFTER = re.compile(rf"[ ]{KIND}{THING_ALONE}", _I)
_FINDING_AFTER = re.compile(rf"[ ]{KIND}{FINDINGS}", _I)
_ARTICLE = re.compile(r"\b(?:an?|the|this)[ ]\Z", _I)
_THING_BEFORE = re.compile(
    rf"\b{THINGS}\b(?P<between>[^.!?]{{0,40}}?)\b(?:it['’]s|they['’]re|(?:it|they|which|that)[ ]"
    r"(?:is|are|was|were)|is|are|was|were)(?:[ ](?:like|about|only|now|almost|over|around))?[ ]\Z",
    _I,
)
_PERSON = re.compile(
    rf"\b(?:{PEOPLE}|i|he|she|who|we|you|when|since|his|her|my|fe(?:d|eds?|eding)|(?-i:[A-Z]\w+))\b",
    _I,
)

_NAMED_BEFORE = re.compile(
    r"\b(?:mr|mrs|ms|miss|mx|dr|prof|sir|nurse|named?|called|name[ ]is|initials|regards|thanks"
    r"|thank[ ]you|sincerely|wishes|love|signed|dear|hi|hello|i[ ]?['’]?a?m|meet|met|best|cheers"
    r"|yours|truly|applicant|appellant|claimant|complainant|defendant|plaintiff|respondent|victim"
    r"|witness|client|ask|asked|told|spoke[ ](?:to|with)|seen[ ]by|regards[ ]from"
    r"|(?:works?|worked|working)[ ](?:at|for)|(?:employed|studied|treated)[ ](?:at|by)"
    rf"|{PEOPLE})[.,:\s-]{{0,6}}\Z",
    _I,
)
_BODY = re.compile(
    r"(?:the[ ])?(?:(?:works|staff|(?:employee|tenant|resident|parent|student|teacher|worker)s?"
    r"['’]?s?|supervisory|advisory|executive|steering|audit|ethics|management|school|parish|town"
    r"|city|county|local|district|housing|disciplinary|admissions|finance|safety)[ ]){1,2}"
    r"(?:councils?|committees?|associations?|boards?|panels?|authorit(?:y|ies)|office)"
    r"(?:[ ]of(?:[ ](?:the|our|their|his|her))?)?"
)
"""A body of a firm or a town in lower case, without the name of either."""
_NO_AGE = frozenset("age ages aged of almost year years month week old".split())
"""Words that a tagger marks next to an age. Alone they state no age."""


class ClinicalRecognizer:
    """Remove another recognizer's spans where the words around them show that they are medicine.

    Removed: numbers found as ages that measure or count ("LDL below 70", "eight in ten"), ages of
    things ("a three-month-old stent"), blood pressures, results of a laboratory ("8 ng"), names of
    diseases and tests ("Lewy body", "ADA level"), bodies without a name ("works council of"), and
    times that name no calendar day (`is_relative`: "yesterday", "Monday", "4 pm"). A number found
    as a date is extended to the length of time that it begins ("six" in "six or seven weeks"). An
    age that means how long ago becomes a time.

    Guarantees: only `AGE`, `DATE_TIME`, results with a unit and listed names are removed. A number
    that its sentence calls an age ("I am 55") stays, and so does a date with a month.
    Does not guarantee: anything for a text written to mislead: "my pulse is 55" shows the age of a
    writer who means an age.
    """

    def __init__(self, inner: Recognizer) -> None:
        self._inner = inner

    @property
    def fingerprint(self) -> str:
        """The inner recognizer's, and the version of the rules."""
        return f"clinical-{VERSION}({self._inner.fingerprint})"

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the inner recognizer's spans except those that are medicine."""
        found = (_checked(text, span) for span in self._inner.recognize(text))
        return [span for span in found if span is not None]


def _checked(text: str, span: Span) -> Span | None:
    """Return a span unchanged, extended or of another type; `None` where it is medicine."""
    if span.entity_type in _NAMED and _is_finding(text, span):
        return None
    if span.entity_type in _COUNTED:
        value, around = text[span.start : span.end], _around(text, span)
        if (
            is_result(value, *around)
            or is_reading(value, *around)
            or _is_blood_pressure(text, span)
        ):
            return None
    if span.entity_type is EntityType.ORGANIZATION and _BODY.fullmatch(text, span.start, span.end):
        return None
    if span.entity_type is EntityType.AGE:
        return _checked_age(text, span)
    if span.entity_type is EntityType.DATE_TIME:
        return _checked_time(text, span)
    return span


def _is_finding(text: str, span: Span) -> bool:
    """Return whether a name is part of a disease's or test's, and no title precedes it."""
    before, after = _around(text, span)
    value = text[span.start : span.end]
    named = value.casefold() in _TERMS or is_test(value, before, after)
    named = named or is_reading(value, before, after) or _is_within(text, span, _EMERGENCY)
    # A Canadian postcode has the form of "T4N1M0".
    is_place = span.entity_type is EntityType.LOCATION
    named = named or (not is_place and _is_within(text, span, _CLASS))
    return (named or is_eponym(text, span.start, span.end)) and not _NAMED_BEFORE.search(before)


def _is_within(text: str, span: Span, expression: re.Pattern[str]) -> bool:
    """Return whether a value is a match of an expression, or a part of one."""
    found = expression.finditer(text, max(0, span.start - _CLASS_REACH), span.end + _CLASS_REACH)
    return any(one.start() <= span.start and span.end <= one.end() for one in found)


def _is_blood_pressure(text: str, span: Span) -> bool:
    """Return whether a number is, or is part of, a blood pressure: "the pressure was 190/110"."""
    before, after = _around(text, span)
    if not (_PRESSURE_BEFORE.search(before) or _PRESSURE_AFTER.match(after)):
        return False
    return any(
        reading.start() <= span.start and span.end <= reading.end()
        for reading in _PRESSURE.finditer(text, max(0, span.start - 4), span.end + 4)
    )


def _checked_age(text: str, span: Span) -> Span | None:
    value = text[span.start : span.end]
    before, after = _around(text, span)
    if value.lower() in _NO_AGE:
        return None
    if old := _OLD.fullmatch(value):
        return None if _is_of_a_thing(before, after, old["unit"]) else span
    if _is_history(value, before, after) or _is_hour(value, before, after):
        return _checked_time(text, replace(span, entity_type=EntityType.DATE_TIME))
    number = _BARE.fullmatch(value) or _ORDINAL.fullmatch(value)
    return None if number and is_not_age(value, before, after) else span


def _checked_time(text: str, span: Span) -> Span | None:
    grown = _extended(text, span)
    value = text[grown.start : grown.end]
    if (
        is_relative(value)
        or _WEEK.fullmatch(value)
        or (_HOUR_BEGUN.fullmatch(value) and _HOUR_AFTER.match(text, grown.end))
    ):
        return None
    return grown


def _extended(text: str, span: Span) -> Span:
    """Extend a number by the figures before its point, or to the length of time it is part of."""
    before, after = _around(text, span)
    value = text[span.start : span.end]
    if value.isdigit() and (whole := _WHOLE_BEFORE.search(before)):
        return replace(span, start=span.start - len(whole.group()))
    start, end = span.start, span.end
    if _BARE.fullmatch(value) and (right := _LENGTH_AFTER.match(after)):
        end += right.end()
    value = text[start:end]
    if (_LENGTH.fullmatch(value) or _UNIT_ALONE.fullmatch(value)) and (
        left := _LENGTH_BEFORE.search(before)
    ):
        start -= len(left.group())
    return replace(span, start=start, end=end)


def _is_history(value: str, before: str, after: str) -> bool:
    """Return whether an age means how long or how long ago: "since «12» yrs", "«15 years» ago"."""
    if _BARE.fullmatch(value):
        unit = _UNIT_AFTER.match(after)
        if unit is None:
            return False
        after = after[unit.end() :]
    elif not _LENGTH.fullmatch(value):
        return False
    if _OLD_AFTER.match(after) or is_called_age(before) or _OVER_BEFORE.search(before):
        return False
    return bool(_HISTORY_BEFORE.search(before) or _HISTORY_AFTER.match(after))


def _is_hour(value: str, before: str, after: str) -> bool:
    if _OCLOCK.fullmatch(value):
        return True
    if _BARE.fullmatch(value) and _HOUR_BEFORE.search(before):
        return True
    return bool(_OF_A_CLOCK.fullmatch(value) and _PART_OF_DAY_AFTER.match(after))


def _is_of_a_thing(before: str, after: str, unit: str) -> bool:
    if _THING_AFTER.match(after):
        return True
    if _FINDING_AFTER.match(after) and unit[0].lower() != "y" and _ARTICLE.search(before):
        return True
    thing = _THING_BEFORE.search(before)
    return thing is not None and not _PERSON.search(thing["between"])


def _around(text: str, span: Span) -> tuple[str, str]:
    return text[max(0, span.start - _REACH) : span.start], text[span.end : span.end + _REACH]
