"""Patterns of calendar dates and clock times, in words and figures, in patients' languages.

Weekdays alone, durations and the hours of a medicine ("8 am and 8 pm") do not count: they identify
no one. A clock time counts with its minutes and a word or sign for a time: "at 10:30", "4.15 pm".
"""

from __future__ import annotations

import re

from sage_rag.privacy.english import MONTHS
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.patterns import Anchor, Pattern, first_group

_ENGLISH = (*MONTHS, *"jan feb mar apr jun jul aug sept sep oct nov dec".split())
_OTHERS = (
    # German, Dutch
    "januar jänner februar märz mai juni juli oktober dezember januari februari maart mei"
    # French
    " janvier février fevrier mars avril juin juillet août aout septembre octobre novembre"
    " décembre decembre"
    # Spanish, Portuguese, Italian
    " enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre"
    " diciembre janeiro fevereiro março maio junho julho setembro outubro novembro dezembro"
    " gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre"
    # Polish, Czech (genitive)
    " stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada"
    " grudnia ledna února března dubna května června července srpna září října listopadu prosince"
    # Swedish, Norwegian, Danish
    " augusti desember marts maj"
    # Turkish, Romanian, Welsh
    " ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık"
    " ianuarie februarie martie aprilie iunie iulie septembrie octombrie noiembrie decembrie"
    " ionawr chwefror mawrth ebrill mehefin gorffennaf awst medi hydref tachwedd rhagfyr"
)
_AMBIGUOUS = {"may", "mar", "march", "mart", "maj", "medi", "sep", "dec", "jun", "set", "mei"}
"""Months that are also words or names in lower case."""

# Longest first, then by letter: the order of a set, and with it the recognizer's fingerprint,
# would differ in every process.
_MONTH = "|".join(sorted({*_ENGLISH, *_OTHERS.split()}, key=lambda m: (-len(m), m)))
_ENGLISH_MONTH = "|".join(sorted(_ENGLISH, key=len, reverse=True))
_WEEKDAY = (
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?|montag|dienstag"
    r"|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi"
    r"|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|mandag|tirsdag|onsdag|torsdag"
    r"|fredag|lørdag|søndag|måndag|tisdag|lördag|söndag)"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:(?:18|19|20)\d\d)"
_SHORT_YEAR = rf"(?:{_YEAR}|['’]?\d\d)"
_CLOCK = (
    r"(?:(?:[T ]|,[ ]|[ ]at[ ])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?"
    r"(?:[ ]?(?:[ap]\.?m\b\.?|Z\b|UTC|[+-]\d\d:?\d\d))?)?"
)


_MODAL = re.compile(
    r"[ ](?:be|also|have|not|cause|need|help|get|give|take|use|try|i|you|we)\b", re.I
)


def _worded(match: re.Match[str]) -> tuple[int, int] | None:
    """Reject verbs that look like months: "2 may", "May 5 tablets"."""
    month = match.group("month")
    plain = month.lower() in _AMBIGUOUS and month.islower()
    has_year = match.group("year") is not None
    ordinal = match.groupdict().get("ordinal") is not None
    modal = month.lower() == "may" and _MODAL.match(match.string, match.end()) and not has_year
    return None if modal or (plain and not (has_year or ordinal)) else match.span()


def _numeric(match: re.Match[str]) -> tuple[int, int] | None:
    """Accept day-month-year in either order."""
    first, second = int(match.group("first")), int(match.group("second"))
    real = (1 <= first <= 31 and 1 <= second <= 12) or (1 <= first <= 12 and 1 <= second <= 31)
    return match.span() if real else None


_LETTER = r"(?=[^\W\d_])"
"""Said before a long list of words: places without a letter are passed over without trying each."""
_NOT_AFTER = r"(?<![\w.,/:-])"
_NO_DAY = rf"(?!{_DAY}(?:(?:,|[ ](?:and|or|to|&))[ ]{_DAY})*[ ](?:of[ ])?(?:{_MONTH})\b)"
"""Before a year of two digits: in `8 June, 10 and 12 September`, 10 is a day."""
_WORDED = re.compile(
    rf"(?<![\w./])(?=\w)(?:{_WEEKDAY},?[ ](?:den[ ]|the[ ]|le[ ]|el[ ])?|the[ ])?{_DAY}"
    rf"(?P<ordinal>st|nd|rd|th|er|ª|º)?\.?[ ]?(?:of[ ]|de[ ]|d['’]|-|/)?"
    rf"(?P<month>{_MONTH})\b(?:\.(?=,?[ -/][\d'’]))?"  # else the stop ends the sentence
    rf"(?P<year>,?(?:[ ]|-|/|[ ]de[ ]){_NO_DAY}{_SHORT_YEAR}(?![\w:%/]|\.\d))?"
    rf"{_CLOCK}",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"\b{_LETTER}(?:{_WEEKDAY},?[ ])?(?P<month>{_ENGLISH_MONTH})\b\.?[ ](?:the[ ])?{_DAY}"
    rf"(?P<ordinal>st|nd|rd|th)?(?![\w:%/]|\.\d)"
    rf"(?P<year>,?[ ](?:{_YEAR}|['’]\d\d)(?![\w%]))?{_CLOCK}",
    re.IGNORECASE,
)
_MONTH_YEAR = re.compile(
    rf"\b{_LETTER}(?P<month>{_MONTH})\b\.?(?:,?[ ](?:of[ ]|de[ ])?|[-/])"
    rf"(?:{_YEAR}|['’]\d\d)(?![\w%]|\.\d)",
    re.IGNORECASE,
)
_FIGURES = re.compile(
    rf"{_NOT_AFTER}(?P<first>\d{{1,2}})(?P<mark>[./-])(?P<second>\d{{1,2}})(?P=mark)"
    rf"(?:{_YEAR}|\d\d)(?![\w/-]|[.,:]\d){_CLOCK}"
)
_SPACED = re.compile(
    rf"{_NOT_AFTER}(?P<first>\d{{1,2}})\.[ ](?P<second>\d{{1,2}})\.(?:[ ]{_YEAR})?(?![\w])"
)
_ISO = re.compile(
    rf"(?<![\w./-]){_YEAR}([-/.])(?:0?[1-9]|1[0-2])\1{_DAY}(?![\w/-]|[.,]\d)(?<!\d\.){_CLOCK}"
    rf"|(?<![\w./-]){_YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T\d\d:\d\d[\d:.]{{0,12}}"
    r"(?:Z|[+-]\d\d:?\d\d)?"
)
_BEFORE_SHORT = (
    rf"\b{_LETTER}(?:(?:on|by|until|till?|before|since|from|after|due|dated|for|one|at|born)[ ]"
    rf"(?:the[ ])?(?=\d|{_WEEKDAY})|(?={_WEEKDAY}[ ]))"
)
_SHORT_SLASH = re.compile(
    rf"{_BEFORE_SHORT}(?P<value>(?:{_WEEKDAY}[ ])?(?:{_DAY}/(?:0?[1-9]|1[12])|(?:0?[1-9]"
    rf"|1[0-2])/(?:[12]\d|3[01]|0[1-9])"
    rf"|0[1-9]/10|(?:1[1-9]|2\d|3[01])/10))(?![\w/%-]|[.,]\d|[ ](?:to|mg|mmHg|pain|of|cm|inch))",
    re.IGNORECASE,
)
_SHORT_DOT = re.compile(
    r"\b(?:on|by|until|till|since|from|for)[ ]"
    rf"(?P<value>{_DAY}\.(?:0[1-9]|1[0-2]|(?:[1-9]|1[0-2])\.))"
    r"(?![\w/%-]|[.,]\d|[ ]?(?:to|and|or|m?g|mmol|ml|kg|cm|mm|million|hours?|days?|weeks?|x|%)\b)",
    re.IGNORECASE,
)
_YEAR_ALONE = re.compile(
    r"\b(?:in|since|during|from|until|till|by|around|circa|year|early|late|mid|after|before|of|back"
    rf"|between|summer|winter|spring|autumn|fall|{_YEAR}[ ](?:and|to)|{_YEAR}[ ]?[-–])[ ]?"
    rf"(?P<value>{_YEAR})(?![\w/%-]|[.,]\d|[ ]?(?:mg|mcg|ml|g|kg|iu|units?|patients|people|cases"
    r"|calories|kcal|steps|women|men|children|persons|times)\b)",
    re.IGNORECASE,
)
_DATED_DAY = re.compile(
    r"\b(?:(?:on|by|until|till)[ ](?:the[ ])?|(?:since|from|before|after|of)[ ]the[ ])"
    r"(?P<value>\d{1,2}(?:st|nd|rd|th))"
    r"(?![ ](?:and|to)[ ](?:the[ ])?\d{1,2}(?:st|nd|rd|th)[ ](?:floor|grade|centur|rib|toe|finger"
    r"|week|month|year|dose|cycle|trimester))"
    r"(?=[.,;:!?)]|\s*$|[ ](?:and|as|at|this|last|next|i|we|he|she|they|it|you|for|but|because|so"
    r"|my|was|were|is|had|to|until|till)\b)"
    # Without a preposition, `the 1st` to `the 3rd` are as often ordinals of something else.
    r"|\bthe[ ](?P<subject>(?:[4-9]|1\d|2[04-9]|30)th)(?=[ ](?:was|is)\b)"
    r"|\b(?P<letter>\d{1,2}(?:st|nd|rd|th)?[ ](?:inst|ult|prox)\b\.?)",
    re.IGNORECASE,
)
"""`On the 14th`, `the 14th was`, and of letters `the 3rd inst.`: of this month."""

_DAY_OF_A_MONTH = re.compile(
    r"\b(?:the[ ])?\d{1,2}(?:st|nd|rd|th)[ ](?:of[ ])?(?:this|last|next|the[ ]same)[ ]month\b",
    re.IGNORECASE,
)

_TIME = re.compile(
    r"\b(?:at|around|about|by|until|till|from|to|since|before|after|time|between|and|um|à|a las"
    r"|alle)"
    r"[ :]{1,2}(?P<value>(?:[01]?\d|2[0-3])[:.h][0-5]\d(?::[0-5]\d)?(?:[ ]?(?:[ap]\.?m\b\.?|hrs?\b"
    r"|hours\b|o['’]clock|uhr\b))?)(?![\w:%/]|\.\d|[ ]?(?:m?g|mcg|ml|mmol|kg|cm|mm|l|iu|units?|cc"
    r"|%|to|x|times|million|euros?|dollars?)\b)"
    r"|(?<![\w.,/:-])(?P<clock>(?:0?\d|1\d|2[0-3])[:.][0-5]\d[ ]?[ap]\.?m\b\.?)"
    r"|(?<![\w.,/:-])(?P<seconds>(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:[.,]\d{1,6})?)(?![\w:/])",
    re.IGNORECASE,
)
_DAY_WORD = (
    r"(?:twenty|thirty)(?:[ -](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth))?"
    r"|twentieth|thirtieth|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
    r"|eleventh|twelfth|(?:thir|four|fif|six|seven|eigh|nine)teenth"
)
_WORDED_DAY_OF_A_MONTH = re.compile(
    rf"\bthe[ ](?:{_DAY_WORD})[ ]of[ ](?:this|last|next|the|the[ ]same)[ ]month\b", re.IGNORECASE
)
_YEAR_WORD = (
    r"(?:nineteen|two[ ]thousand(?:[ ]and)?|twenty)(?:[ -](?:oh[ -])?(?:one|two|three|four|five|six"
    r"|seven|eight|nine|ten|eleven|twelve|\w{3,5}teen|twenty|thirty|forty|fifty|sixty|seventy|eighty"
    r"|ninety|hundred)){1,2}"
)
_IN_WORDS = re.compile(
    rf"\b(?:the[ ])?(?:{_DAY_WORD})[ ](?:day[ ])?of[ ](?:{_ENGLISH_MONTH})\b(?:,?[ ](?:{_YEAR}"
    rf"|{_YEAR_WORD})\b)?|\b(?:{_ENGLISH_MONTH})[ ](?:the[ ])?(?:{_DAY_WORD})\b(?:,?[ ](?:{_YEAR}"
    rf"|{_YEAR_WORD})\b)?",
    re.IGNORECASE,
)
_MORE_YEARS = re.compile(
    rf"\b(?P<first>{_YEAR})(?P<rest>(?:,[ ]{_YEAR}){{0,8}},?[ ](?:and|or|to|und|et|y)[ ]{_YEAR})\b"
    r"(?![ ]?(?:mg|mcg|ml|g|kg|iu|units?|calories|kcal|patients|people|cases)\b)",
    re.IGNORECASE,
)
_IN_THE_YEAR = re.compile(
    rf"\b(?:the|in[ ]the|(?:is|was)[ ]an?|season|autumn of|spring of|summer of|winter of)[ ]"
    rf"(?P<value>{_YEAR})(?=[ ][A-Za-z])"
    r"(?![ ](?:mg|ml|patients|people|cases|calories|kcal|steps)\b)",
    re.IGNORECASE,
)


_DIGIT = Anchor(re.compile(r"\d+"), before=48, after=40)
_ANY_YEAR = Anchor(re.compile(r"(?:18|19|20)\d\d|['’]\d\d"), before=32, after=8)
_MONTH_STEM = Anchor(
    re.compile(r"[JFMASONDjfmasond](?:an|eb|ar|pr|ay|un|ul|ug|ep|ct|ov|ec)"), before=40, after=64
)
_DAY_THEN_WORD = Anchor(
    re.compile(
        r"\d(?:st|nd|rd|th|er|ª|º)?\.?[ ]?(?:of[ ]|de[ ]|d['’]|-|/)?[^\W\d_]{3}", re.IGNORECASE
    ),
    before=24,
    after=56,
)
_CLOCK_FIGURE = Anchor(re.compile(r"\d[:.h][0-5]\d"), before=16, after=24)
_SHORT_MONTHS = tuple(month[:3].capitalize() for month in MONTHS)
_ANY_CASE = (*_SHORT_MONTHS, *map(str.lower, _SHORT_MONTHS), *map(str.upper, _SHORT_MONTHS))

DATES = (
    Pattern(EntityType.DATE_TIME, _WORDED, 0.85, _worded, anchor=_DAY_THEN_WORD),
    Pattern(EntityType.DATE_TIME, _MONTH_FIRST, 0.85, _worded, needs=_ANY_CASE, anchor=_DIGIT),
    Pattern(EntityType.DATE_TIME, _MONTH_YEAR, 0.85, anchor=_ANY_YEAR),
    Pattern(EntityType.DATE_TIME, _FIGURES, 0.85, _numeric),
    Pattern(EntityType.DATE_TIME, _SPACED, 0.7, _numeric),
    Pattern(EntityType.DATE_TIME, _ISO, 0.9),
    Pattern(EntityType.DATE_TIME, _SHORT_SLASH, 0.6, needs="/", anchor=_DIGIT),
    Pattern(EntityType.DATE_TIME, _SHORT_DOT, 0.5, needs=".", anchor=_DIGIT),
    Pattern(EntityType.DATE_TIME, _YEAR_ALONE, 0.6, anchor=_ANY_YEAR),
    Pattern(EntityType.DATE_TIME, _DATED_DAY, 0.6, first_group, anchor=_DIGIT),
    Pattern(EntityType.DATE_TIME, _DAY_OF_A_MONTH, 0.8, needs=("month",), anchor=_DIGIT),
    Pattern(EntityType.DATE_TIME, _WORDED_DAY_OF_A_MONTH, 0.8, needs=("month",)),
    Pattern(EntityType.DATE_TIME, _IN_WORDS, 0.85, anchor=_MONTH_STEM),
    Pattern(EntityType.DATE_TIME, _MORE_YEARS, 0.6, anchor=_ANY_YEAR),
    Pattern(EntityType.DATE_TIME, _IN_THE_YEAR, 0.6, anchor=_ANY_YEAR),
    Pattern(EntityType.DATE_TIME, _TIME, 0.6, first_group, anchor=_CLOCK_FIGURE),
)
