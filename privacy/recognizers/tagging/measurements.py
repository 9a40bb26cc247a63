"""Decide by the words around a number whether it counts or measures something.

"LDL below 70", "eight in ten" and "four times a day" are no ages. Words that call a
number a person's age ("I am 55") decide first.
"""

from __future__ import annotations

import re

from sage_rag.privacy.recognizers.tagging.clinical_words import (
    MEASURES,
    NUMBER,
    PEOPLE,
    UNIT,
    UNITS_OF_MEASURE,
)

_I = re.IGNORECASE
_OLDEST = 120

_PERSONAL_BEFORE = re.compile(
    r"\b(?:i[ ]?['’]?[ ]?a?m|am|s?he(?:['’]s|[ ]is|[ ]was)|who(?:['’]s|[ ]is|[ ]was)|aged?|ages"
    r"|age[ ](?:of|is|was|at)|turn(?:s|ed|ing)?"
    r"|(?:i|s?he|you|they|we)(?:['’]ll|[ ]will|[ ]would)[ ]be"
    rf"|(?:{PEOPLE}|old)[ ](?:is|was|of|at)|birthday|died|dead|born|was[ ]i|i[ ]was)"
    r"(?:[ ](?:now|only|just|about|almost|nearly|at|over|under|above|below|around|between))*"
    r"[ (:-]{0,3}\Z",
    _I,
)
_PERSONAL_AFTER = re.compile(
    rf"[ ,/-]{{0,3}}(?:{PEOPLE}|years?|yrs?|y/?o|old|m|f)\b(?![ ]?(?:/|ago))|(?-i:[ ]?[MF]\b)", _I
)

_ABOUT = r"(?:only|just|nearly|almost|about)"
_WHEN = (
    rf"(?:at|from|for|until|till|since|after|before|by|in|with|and|but)[ ](?:{_ABOUT}[ ])?"
    rf"(?:{NUMBER}[ ]?(?:-|–|to|and|or)[ ])?\Z"
)
"""Before a number: when something was, or what follows: "positive at 23" states an age."""
_LOOSE = (
    r"(?:[ ](?!(?:i|im|ive|am|our|my|your|his|her|age|aged|ages|old|he|she|who|when|since|with|year"
    rf"|years|yrs|{PEOPLE})\b|{_WHEN})(?-i:[a-z'’]+|[A-Z]+)){{0,5}}?"
)
"""Words between a measure and its number, without names and words for persons."""
_LINK = (
    r"(?:is|was|are|were|of|to|below|above|under|over|than|be|been|between|around|about|only"
    r"|exceeds?|reads?|reached|up[ ]to|at[ ](?:least|most)|says|shows|showed"
    r"|(?:is|was|back|stay\w{0,3}|remain\w{0,3}|be|kept|sits?)[ ]at)"
)
_MEASURED = re.compile(
    rf"(?<![\w-]){MEASURES}(?:[ ]?\({MEASURES}\))?{_LOOSE}(?:[ ]{_LINK})?[ ]?[=:<>≤≥~(]?[ ]?"
    rf"(?:{NUMBER}[ ]?(?:-|–|to|and|or)[ ]?)?{_ABOUT}?[ ]?\Z",
    _I,
)
_MOVED = re.compile(
    r"(?<!\bi[ ])(?<!he[ ])(?<!they[ ])(?<!who[ ])\b(?:(?:go(?:es)?|went|drop(?:s|ped)?|f[ae]lls?"
    r"|r[io]ses?|rose|reach(?:es|ed)?|climb(?:s|ed)?|aim[ ]for|comes?|came|stay(?:s|ed)?|keep|kept"
    r"|remains?|(?:it|this|that|which)(?:['’]s|[ ]is|[ ]was))"
    rf"(?:[ ](?:up|down|back|still|now|again))?(?:[ ]from[ ]{NUMBER})?"
    r"[ ](?:to|below|above|under|over|around|by|from)"
    r"|(?:stay(?:s|ed)?|keep|kept|remains?|(?:comes?|came|goes|went)[ ]back|(?:it|this|that|which)"
    r"(?:['’]s|[ ]is|[ ]was))(?:[ ](?:still|now|again))?[ ]at)[ ]\Z",
    _I,
)
_MEASURE = re.compile(rf"(?<![\w-]){MEASURES}(?!\w)|\bmmol", _I)
_READ_BEFORE = re.compile(
    rf"(?:\b\d{{2,3}}[ ]over|\b(?:minus|plus)|\bweeks?(?:[ ]{NUMBER}[ ](?:to|or|and))?)[ ]\Z", _I
)

_AND = re.compile(r"[ ]and\b", _I)
"""After a person's age it begins another measure: "I am 52 and 90 kg"."""
_UNIT_AFTER = re.compile(
    rf"(?:[ ]?(?:-|–|to|or|and)[ ]?{NUMBER})?[ -]?{UNITS_OF_MEASURE}"
    rf"|[ ]or[ ](?:less|lower|higher)\b"
    rf"|(?:[ ](?:or|to|and)[ ]{NUMBER}|-{NUMBER})?[ ]?(?:times\b|x\b(?!\w)|-?fold\b)",
    _I,
)
_SHARE_AFTER = re.compile(
    rf"[ ](?:in|out[ ]of)[ ](?:every[ ]|a[ ])?{NUMBER}(?![\w%]|\.\d|[ -]?{UNIT}\b)", _I
)
_AT = re.compile(r"\b(?:at|aged|age)[ ]\Z", _I)
_SHARE_BEFORE = re.compile(
    rf"(?<![\w.,-])(?<!at[ ])(?<!aged[ ])(?<!age[ ]){NUMBER}"
    r"(?:[ ](?:people|wom[ae]n|m[ae]n|patients|cases|children|of[ ]them))?"
    r"[ ](?:in|out[ ]of)[ ](?:every[ ]|a[ ])?\Z",
    _I,
)
_STEP_BEFORE = re.compile(r"\b(?:then|slowly|mg|dose|days?|weeks?|months?)[ ,]{1,2}\Z", _I)
_STEP_AFTER = re.compile(rf",?[ ]for[ ](?:an?|{NUMBER})(?:[ ]to[ ]{NUMBER})?[ ]{UNIT}\b", _I)
_WEEKS = re.compile(r"(?:[ ]and[ ]a[ ]half|[ ]?\d/\d)?[ ](?:weeks?|wks?)\b(?![ ]?-?old)", _I)
_PREGNANT_AFTER = re.compile(r"[^.!?]{0,30}\b(?:pregnan|gestation|with[ ]my|along)", _I)
_ORDINAL_AFTER = re.compile(r"(?:st|nd|rd|th)?[ ](?:week|day|month|trimester|time)s?\b", _I)
_WEEK_AND_DAY = re.compile(r"[ ]?\+[ ]?\d", _I)
_I_AM_BEFORE = re.compile(
    r"\b(?:i[ ]?['’]?[ ]?a?m|i[ ]was|was[ ]i|she(?:['’]s|[ ]is|[ ]was))"
    r"(?:[ ](?:now|only|just|about|almost|nearly|at))*[ ]\Z",
    _I,
)
_NUMBERED_BEFORE = re.compile(
    r"\b(?:sessions?|stage|grade|type|levels?|values?|scores?|steps?|item|page|version|phase|class"
    r"|question|gravida|para|cycle|chapter|section)(?:[ ](?:is|was|of))?[ ]?[:#=]?[ ]?\Z",
    _I,
)
_FAHRENHEIT = re.compile(r"[ ]?°?[ ]?F\b")
_WARMTH = re.compile(r"\b(?:fever|temp\w{0,8}|degrees?)\b[^.!?]{0,24}\Z", _I)
_HOTTEST_AGE = 95
"""Above it, a number before F is degrees Fahrenheit more often than the age of a woman."""
_BORN_BEFORE = re.compile(r"\bborn[ ](?:at|in)[ ]\Z", _I)

_RECURS_AFTER = re.compile(
    rf"(?:[ ]?(?:or|to|-)[ ]?(?:{NUMBER}|more|so))?(?:[ ]{UNIT})?[ ]"
    r"(?:a|an|per|each|every|in[ ]an?)[ ](?:day|night|week|fortnight|month|year|hour)s?\b"
    r"(?![ ](?:later|after|before|ago|earlier)\b)",
    _I,
)

_CALLED = re.compile(r"(?::|\b(?:call|dial|ring|phone|means|it['’]s))[ ]\Z", _I)
_EMERGENCY = frozenset(("112", "108", "111"))


def is_called_age(before: str) -> bool:
    """Return whether the words before a number call it an age: "I am now 55", "age 55"."""
    return _PERSONAL_BEFORE.search(before) is not None


def is_age_of_person(before: str, after: str) -> bool:
    """Return whether the words around a number call it an age: "I am 55", "55 male"."""
    if _PERSONAL_AFTER.match(after):
        return True
    return is_called_age(before) and not (_UNIT_AFTER.match(after) and not _AND.match(after))


def is_not_age(value: str, before: str, after: str) -> bool:
    """Return whether a number found as an age is a count, a measure or an emergency number."""
    if value.isdigit() and int(value) > _OLDEST:
        return True
    if _is_ordinal(value, after) or _NUMBERED_BEFORE.search(before):
        return True
    if _FAHRENHEIT.match(after) and (
        _WARMTH.search(before) or (value.isdigit() and int(value) > _HOTTEST_AGE)
    ):
        return True
    if _WEEKS.match(after) and _I_AM_BEFORE.search(before):  # of pregnancy
        return True
    if _WEEKS.match(after) and (_PREGNANT_AFTER.match(after) or _BORN_BEFORE.search(before)):
        return True
    if is_age_of_person(before, after):
        return False
    if value in _EMERGENCY and _CALLED.search(before):
        return True
    return is_count(before, after) or _is_measured(before)


def _is_ordinal(value: str, after: str) -> bool:
    """Return whether a number is the place of a week, day or month: "the 31st week", "31+4"."""
    if _ORDINAL_AFTER.match(after):
        return value[0].isdigit() and (not value.isdigit() or after[0].isalpha())
    return value.isdigit() and _WEEK_AND_DAY.match(after) is not None


def is_count(before: str, after: str) -> bool:
    """Return whether a number is a share, a number of times, a step of a dose, or has a unit."""
    return bool(
        _UNIT_AFTER.match(after)
        or (_SHARE_AFTER.match(after) and not _AT.search(before))
        or _SHARE_BEFORE.search(before)
        or _READ_BEFORE.search(before)
        or (_STEP_BEFORE.search(before) and _STEP_AFTER.match(after))
        or _RECURS_AFTER.match(after)
    )


def _is_measured(before: str) -> bool:
    if _MEASURED.search(before):
        return True
    return bool(_MOVED.search(before) and _MEASURE.search(before))
