"""The words that show that a number is a person's age: without them no operator changes it.

A tagger takes "68" for an age where it is a liver value, and a wrong band cannot be corrected: it
is neither the value nor restorable. So the evidence here is narrower than the patterns that find
ages (`ages.py`), which only hide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.ages import FIGURE, NO_QUANTITY, NUMBER, START
from sage_rag.privacy.spans import Span

_I = re.IGNORECASE
_UNIT = r"(?:years?|yrs?\.?|ys?|months?|mths?|mos?|weeks?|wks?|days?|hours?|hrs?)"
_PERSON = r"(?:male|female|man|woman|boy|girl|lady|gentleman)"
_RELATIVE = (
    r"(?:son|daughter|baby|child|kid|toddler|infant|boy|girl|husband|wife|partner|mother|father|mum"
    r"|mom|dad|brother|sister|uncle|aunt|nephew|niece|cousin|grand(?:mother|father|son|daughter|ma|pa)"
    r"|boyfriend|girlfriend|friend|patient|man|woman|lady|gentleman|guy|twin)"
)
_NEARLY = r"(?:[ ](?:now|only|just|about|almost|nearly|a|an|at|over|under|turning|coming up to))*"
_YOUNGEST_ALONE, _OLDEST_ALONE = 13, 95
"""Bounds of a number that only a sex or an event calls an age: "3 M" is a count or a length, and
"98 F" a temperature."""

_EVIDENCE = (
    # "34 years old", "3-month-old", "21 yrs of age", "34 y/o"
    re.compile(
        rf"{START}{NUMBER}(?:[ ]\d/\d)?[ -]{{0,3}}{_UNIT}[ .-]{{0,3}}(?:olds?\b|of[ ]age\b)", _I
    ),
    re.compile(rf"{START}{FIGURE}[ -]?(?:y\.?[ ]?/?[ ]?o\b|yo[mf]?\b)", _I),
    # "34 year male", "14 month baby", "57-year woman"
    re.compile(rf"{START}{NUMBER}[ -]?{_UNIT}[ ,-]{{1,2}}(?:{_PERSON}|{_RELATIVE})\b", _I),
    # "aged 34", "age: 31", "at the age of six", "ages 4 and 7"
    re.compile(
        r"\b(?:aged?|ages)\b(?:[ ](?:of|is|was|about|around|only|just|at|between))*[ ]?[:=(-]?[ ]?"
        rf"{NUMBER}(?:(?:,[ ]|[ ]?-[ ]?|,?[ ](?:and|or|to)[ ]){NUMBER}){{0,4}}"
        rf"(?:[ -]?{_UNIT}\b)?(?![\w%]|[.,]\d)",
        _I,
    ),
    # "I am 34", "she's 27", "my son is 4 years", "turned 40", "when he was six"
    re.compile(
        r"\b(?:i[ ]?['’]?[ ]?a?m|am[ ]i|i[ ]was|was[ ]i|(?:s?he|who|"
        rf"{_RELATIVE})(?:['’]s|s|[ ]is|[ ]was|[ ]will[ ]be)|turn(?:s|ed|ing)?|they['’]re)"
        rf"{_NEARLY}[ ]{NUMBER}(?:[ ]?-?(?:years?|yrs?|y|months?)\b"
        r"(?![ ](?:ago|post|later|now|since|into|in|pregnan|along|of|clean|sober|late)))?"
        rf"{NO_QUANTITY}(?![ ]over\b)",
        _I,
    ),
    # "my son (17)", "husband, 70,"
    re.compile(rf"\b{_RELATIVE}[ ]?[(,][ ]?{NUMBER}(?:[ ]?{_UNIT})?[ ]?[),]", _I),
    # "in her late 60s"
    re.compile(r"\b(?:his|her|my|their|your)[ ](?:(?:early|mid|late)[ -]?)?[2-8]0['’]?s\b", _I),
    re.compile(r"(?<!\d)\d{1,3}周?岁|年(?:龄|纪)[为是约:：\s]{0,3}\d{1,3}(?![\d.%])"),
)
_EVIDENCE_OF_ADULTS = (
    # "54F", "54 M", "57 years, male", "F/54", "male 47", "Male, 57 years"
    re.compile(
        rf"{START}(?P<n>{FIGURE})(?:[ -]?(?:years?|yrs?|y))?[ ]?[/,-]?[ ]?"
        rf"(?:(?i:{_PERSON})|[MF])\b(?!['’.]\w|[ ](?:patients|cases|and[ ]\d))"
    ),
    re.compile(
        rf"\b(?:(?i:{_PERSON})|[MF])[ ]?[ /,(:-][ ]?(?P<n>{FIGURE})(?![\w%]|[.,/]\d|[ ]\d)"
        rf"(?:[ ](?:years|yrs)\b)?{NO_QUANTITY}"
    ),
    # "died at 63", "menopause at 48"
    re.compile(
        r"\b(?:dead|died|dies|death|menopause|menarche|retired|married)[ ]at[ ]"
        rf"(?:only[ ]|just[ ])?(?P<n>{FIGURE}){NO_QUANTITY}",
        _I,
    ),
)
_MEASURED = re.compile(
    r"\b(?:(?:fever|temp\w{0,8}|degrees?|weather|oven|heat\w{0,3})\b[^.!?\n]{0,24}"
    r"|(?:it|this|at|to|is|was|were|below|above|over|under)[ ])\Z",
    _I,
)
"""Before "54 F", it may be degrees Fahrenheit."""
_REACH = 60
_AFTER_NAME = re.compile(r"[ ]?[,(][ ]?")
_END_OF_AGE = re.compile(r"[ ]?(?:[,.;)\n]|\Z)")


def proven_ages(text: str, spans: Sequence[Span]) -> frozenset[int]:
    """Return the starts of the AGE spans that their words, or a name before them, show to be ages.

    `spans`: disjoint, in order. A number right after a PERSON is an age if punctuation encloses it:
    "Ada Novak, 52, a nurse".
    """
    ages = [span for span in spans if span.entity_type is EntityType.AGE]
    if not ages:
        return frozenset()
    stated = list(_stated(text))
    names = {span.end for span in spans if span.entity_type is EntityType.PERSON}
    return frozenset(
        span.start
        for span in ages
        if any(start < span.end and span.start < end for start, end in stated)
        or _follows_name(text, span, names)
    )


def _stated(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges that state an age."""
    for evidence in _EVIDENCE:
        for match in evidence.finditer(text):
            yield match.span()
    for evidence in _EVIDENCE_OF_ADULTS:
        for match in evidence.finditer(text):
            before = text[max(0, match.start() - _REACH) : match.start()]
            adult = _YOUNGEST_ALONE <= int(match["n"]) <= _OLDEST_ALONE
            if adult and not _MEASURED.search(before):
                yield match.span()


def _follows_name(text: str, span: Span, names: set[int]) -> bool:
    """Return whether an adult's age stands after a name, between signs: "Ada Novak (52)"."""
    number = text[span.start : span.end]
    adult = number.isdecimal() and _YOUNGEST_ALONE <= int(number) <= _OLDEST_ALONE
    return (
        adult
        and _END_OF_AGE.match(text, span.end) is not None
        and any(
            end in names and _AFTER_NAME.fullmatch(text, end, span.start)
            for end in range(max(0, span.start - 3), span.start)
        )
    )
