"""Patterns of ages: a number is an age only where its context shows it."""

from __future__ import annotations

import re

from sage_rag.privacy.english import ONES, TENS
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.patterns import Anchor, first_group, pattern

_ONES = "|".join(ONES[1:])
_WORD = rf"(?:(?:{'|'.join(TENS)})(?:[ -](?:{_ONES}))?|{_ONES})"
FIGURE = r"(?:1[01]\d|\d{1,2})"
"""An age in figures, up to 119."""
NUMBER = rf"(?:{FIGURE}(?:\.5)?|{_WORD})"
_YEARS = r"(?:years?|yrs?\.?|y)"
_SPAN = r"(?:years?|yrs?\.?|y|months?|mths?|mos?|weeks?|wks?|days?|hours?)"
_PERSON = r"(?:males?|females?|man|woman|men|women|boy|girl|lady|gentleman|guy|baby|child|kid|F|M)"
START = r"(?<![\w.,/$€£:+-])"
NO_QUANTITY = (
    r"(?![\w%°]|[ ]?[%°\"“”'’′″]|[.,:/-]\d|[ ]?/|[ ]\d|[ ]?-[ ]?\d"
    r"|[ ]?(?:and[ ](?:a[ ]|1/2)|feet|foot|ft|inch(?:es)?|in\b(?=[ ]?(?:tall|high))|cms?\b|m\b|met"
    r"|kgs?\b|kilos?|lbs?\b|pounds?|stones?\b|st\b|weeks?|wks?|months?|mths?|days?|hours?|hrs?"
    r"|min|sec|mg|mcg|ml|g\b|units?|times|pills?|tab|caps|drops|puffs|percent|degrees?|miles?|km"
    r"|am\b|pm\b|o['’]?clock|out[ ]of|to[ ]\d|or[ ]\d|per\b|more|of\b|cycles?|dpo|people|children"
    r"|kids|pregnan|cigar|glass|drinks?|bpm|beats|mmol|points|sizes?|years?[ ](?:ago|of[ ](?!age)"
    r"|sober|clean|post|into|in[ ]|now|since|married|later|back)|yrs?[ ](?:ago|post|now)))"
)
_ADULT = r"(?:1[3-9]|[2-9]\d|10\d)"


def _after_is(match: re.Match[str]) -> tuple[int, int] | None:
    """Reject a bare "is 12" unless its subject is a person: "she is 42", "Ada is 42"."""
    if match.group().lower().startswith("is "):
        before = match.string[max(0, match.start() - 24) : match.start()].rstrip()
        word = before.rsplit(maxsplit=1)[-1] if before.split() else ""
        people = "he she who age son daughter wife husband baby patient".split()
        if word.lower() not in people and not word[:1].isupper():
            return None
    return match.span("value")


AGES = (
    pattern(
        EntityType.AGE,
        rf"{START}{NUMBER}(?:[ ]?-[ ]?|[ ])?{_SPAN}(?:[ ]?-[ ]?|[ ])?(?:olds?\b|of[ ]age\b)",
        0.95,
        ignore_case=True,
    ),
    pattern(
        EntityType.AGE,
        rf"{START}{FIGURE}[ -]?(?:y\.?[ ]?/?[ ]?o\b\.?|yo[mf]?\b)",
        0.95,
        ignore_case=True,
    ),
    pattern(
        EntityType.AGE,
        rf"{START}(?P<value>{FIGURE}(?:[ -]?{_YEARS})?)(?:[ ]?[/,-][ ]?|[ ])?{_PERSON}\b"
        rf"(?!['’.]\w)",
        0.85,
    ),
    pattern(
        EntityType.AGE,
        rf"\b(?:M|F|[Mm]ale|[Ff]emale)[ ]?[/,(-][ ]?(?P<value>{FIGURE})(?![\w%]|[.,]\d)",
        0.85,
    ),
    pattern(
        EntityType.AGE,
        rf"\b(?:aged?|ages)\b(?:[ ](?:of|is|was|about|around|only|just|at))?[ ]?[:=-]?[ ]?"
        rf"(?P<value>{NUMBER}(?:[ -]?{_SPAN})?)(?![\w%]|[.,]\d)",
        0.9,
        ignore_case=True,
    ),
    pattern(
        EntityType.AGE,
        r"\b(?:i[ ]?['’]?[ ]?a?m|am|(?:s?he|who|patient|wife|husband|son|daughter|mother|father"
        r"|mum|mom|dad|brother|sister|baby|child)(?:['’]s|[ ](?:is|was))|is"
        r"|(?:just[ ])?turn(?:s|ed|ing)?|they['’]re|we['’]re)"
        r"(?:[ ](?:now|only|just|about|almost|nearly|a|an))?[ ]"
        rf"(?P<value>{FIGURE}(?:[ ]?-?{_YEARS}(?![ ](?:ago|post|later|now|since|into)))?)"
        rf"{NO_QUANTITY}",
        0.8,
        ignore_case=True,
        check=_after_is,
        anchor=Anchor(re.compile(r"[ ]\d{1,3}"), before=40, after=32),
    ),
    pattern(
        EntityType.AGE,
        r"\b(?:when|since|until|before|after|while|and|if)[ ](?:i|s?he|they)"
        r"[ ](?:was|were|is|turned)"
        rf"[ ](?:only[ ]|about[ ]|just[ ])?(?P<value>{NUMBER}){NO_QUANTITY}"
        rf"|\b(?:must|may|might|could)[ ]have[ ]been[ ](?P<other>{_WORD}|{FIGURE}){NO_QUANTITY}"
        rf"|\b(?-i:At)[ ](?P<third>{_WORD})(?=[ ](?:it|s?he|i|we|they)\b)",
        0.7,
        ignore_case=True,
        check=first_group,
    ),
    pattern(
        EntityType.AGE,
        r"\b(?:cancer|tumou?r|dead|died|dies|death|attack|stroke|diagnosed|diabet\w{1,4}|passed"
        r"|retired|married|pregnant|menopause|menarche|onset|born|prostate|leuk\w{1,6}|dementia"
        r"|surgery|diagnosis|(?:grand)?(?:mother|father)|sister|brother|uncle|aunt)"
        rf"\b[^.!?\n\d]{{0,25}}?[ ]at[ ](?:only[ ]|just[ ])?(?P<value>{NUMBER}){NO_QUANTITY}",
        0.7,
        ignore_case=True,
        anchor=Anchor(re.compile(r"[ ]at[ ]", re.IGNORECASE), before=48, after=48),
    ),
    pattern(
        EntityType.AGE,
        rf"(?<=[^\W\d_]{{3}}),[ ](?:now[ ]|only[ ]|just[ ])?(?P<value>{_ADULT})"
        rf"(?=,[ ]?[^\W\d_]|,[ ]\d|[.;)](?!\d)|[ ]?\n|[ ]?\Z)",
        0.6,
        needs=tuple(f", {start}" for start in (*"123456789", "now", "on", "j")),
    ),
    pattern(
        EntityType.AGE,
        rf"\b[^\W\d_a-z][\w'’-]{{2,30}}(?:,[ ]|[ ]\()(?P<value>{FIGURE})(?=,[ ][a-z]|\))",
        0.6,
    ),
)
