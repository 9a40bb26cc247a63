"""Patterns of numbers that name a person's account: cards, banks, social security, records."""

from __future__ import annotations

import re

from privacy.entities import EntityType
from privacy.recognizers.checksums import iban, iban_length, luhn, nhs, only_digits
from privacy.recognizers.patterns import Pattern

_CODE = r"[A-Za-z0-9]{1,40}(?:[-/_.:][A-Za-z0-9]{1,40}){0,8}"
_VALUE = (
    rf"(?P<value>(?:(?-i:[A-Z]{{1,5}})[ ](?=\d))?(?=[A-Za-z/_.:-]{{0,12}}\d){_CODE}"
    rf"(?:[ ]\d{{2,}}){{0,5}})"
)
_STRONG = (
    r"mrn|phn|npi|dea|chi|iban|medicaid|medicare|aadhaar|passport|ssn|social security"
    r"|medical records?|health record|hospital|patient|policy|account|acct|a/c|insurance|insured"
    r"|insurer|member(?:ship)?|subscriber|beneficiary|licen[cs]e|reference|ref|case|application"
    r"|claim|docket|file|folder|chart|record|card|admission|discharge|enrol(?:l)?ment|certificate"
    r"|prescription|rx|routing|sort code|invoice|booking|confirmation|sick note|bar|badge"
    r"|employee|staff|student|customer|client|national|identity|tax|registration|reg|serial|order"
    r"|ticket|visa|plate|vin|encounter|visit|accession|specimen|sample|voucher|uhid|id"
)
_LABEL = r"number|num|nr|no|id|identifier|code|card|record|file|ref|reference"
_UNIT = re.compile(
    r"\s?(?:mg|mcg|g|kg|ml|l|cm|mm|iu|units?|%|hours?|hrs?|days?|weeks?|months?|years?|times"
    r"|people|patients|pm|am|tablets?|pills?|pounds|lbs?|bpm|kcal|calories|euros?|dollars|usd)\b",
    re.IGNORECASE,
)
_READING = re.compile(r"\d{1,3}(?:[/:.]\d{1,3}){1,2}|(?:19|20)\d\d")


def _card(match: re.Match[str]) -> tuple[int, int] | None:
    return match.span() if luhn(match.group()) else None


def _iban(match: re.Match[str]) -> tuple[int, int] | None:
    """Cut the match to its country's length: what follows may be the next word."""
    text, wanted = match.group(), iban_length(match.group()[:2])
    if wanted is None:
        return None
    letters = [i for i, character in enumerate(text) if character.isalnum()]
    if len(letters) < wanted:
        return None
    end = letters[wanted - 1] + 1
    whole_word = end == len(text) or not text[end].isalnum()
    compact = "".join(text[i] for i in letters[:wanted])
    return (match.start(), match.start() + end) if whole_word and iban(compact) else None


def _nhs(match: re.Match[str]) -> tuple[int, int] | None:
    return match.span("value") if nhs(match.group("value")) else None


def _record_number(match: re.Match[str]) -> tuple[int, int] | None:
    """Accept a value with enough digits that is no reading, dose or plain year."""
    value = match.group("value")
    count = len(only_digits(value))
    letters = any(c.isalpha() for c in value)
    labelled = match.group("label") is not None
    if match.groupdict().get("comma") and count < 6:
        return None
    if _UNIT.match(match.string, match.end()) or (_READING.fullmatch(value) and not labelled):
        return None
    return match.span("value") if count >= (2 if letters and len(value) >= 5 else 4) else None


def _code(match: re.Match[str]) -> tuple[int, int] | None:
    if match.group().startswith("NDC"):  # the national code of a drug, not of a person
        return None
    return match.span() if len(only_digits(match.group())) >= 4 else None


NUMBERS = (
    Pattern(
        EntityType.CREDIT_CARD,
        re.compile(r"(?<![\w+.-])[1-6](?:[ -]?\d){11,18}(?![\w-]|\.\d)"),
        0.95,
        _card,
    ),
    Pattern(
        EntityType.CREDIT_CARD,
        re.compile(
            r"\b(?:card|visa|mastercard|amex)\b[\w :#.]{0,20}?[ :#]"
            r"(?P<value>\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{4})(?![\w-])",
            re.IGNORECASE,
        ),
        0.9,
    ),
    Pattern(
        EntityType.IBAN_CODE,
        re.compile(r"\b[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}"),
        0.97,
        _iban,
    ),
    Pattern(
        EntityType.IBAN_CODE,
        re.compile(
            r"\biban\b[\s:#is]{1,6}(?P<value>[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]){8,30})\b", re.IGNORECASE
        ),
        0.9,
    ),
    Pattern(
        EntityType.US_SSN,
        re.compile(r"(?<![\w-])(?!000|666)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-])"),
        0.92,
    ),
    Pattern(
        EntityType.US_SSN,
        re.compile(
            r"\b(?:ssn|social security)\b[\w\s:#.]{0,14}?\b(?P<value>\d{9})\b", re.IGNORECASE
        ),
        0.92,
    ),
    Pattern(
        EntityType.UK_NHS,
        re.compile(r"(?<![\w+.-])(?P<value>\d{3}[ ]\d{3}[ ]\d{4})(?![\w-])"),
        0.92,
        _nhs,
    ),
    Pattern(
        EntityType.UK_NHS,
        re.compile(
            r"\bnhs\b[\w\s:#.]{0,14}?\b(?P<value>\d{3}[ -]?\d{3}[ -]?\d{4})(?![\w-])", re.IGNORECASE
        ),
        0.95,
        _nhs,
    ),
    Pattern(
        EntityType.ID,
        re.compile(
            rf"(?<![A-Za-z])(?:{_STRONG})(?:[ _-](?:{_STRONG}))?s?(?![A-Za-z])"
            rf"(?P<label>[ _-]?(?:{_LABEL})\b|[ ]?\#)?[\"']?\.?(?:[ ](?:there|still))?"
            r"(?:[ ]?[:=#-]|(?P<comma>,)|[ ](?:is|was|says|no\.?|number|num\.?|with(?:[ ]the)?"
            r"|under))"
            r"{0,3}[ ]?\s?[\"'(#]?"
            rf"{_VALUE}(?![\w@])",
            re.IGNORECASE,
        ),
        0.85,
        _record_number,
    ),
    Pattern(
        EntityType.ID,
        re.compile(
            rf"\b(?P<label>number|no\.|nr\.?|num\.)[ ]?(?:is|was|still|:|=|#|[ ]){{0,4}}{_VALUE}"
            rf"(?![\w@])",
            re.IGNORECASE,
        ),
        0.7,
        _record_number,
    ),
    Pattern(
        EntityType.ID,
        re.compile(
            r"(?<![\w@./-])(?:[A-Z]{2,5}(?:[-/]\d{2,12}){1,4}(?:[-/][A-Z0-9]{1,12}){0,3}"
            r"|\d{1,4}[:-]\d{0,4}-?[A-Za-z]{2,5}-\d{3,6}(?:-[A-Z]{2,4})?"
            r"|\d{2,6}-\d{3,6}-[A-Z]{1,2}|[A-Z]{1,2}\d{7,9}|[A-Z]\d{3}-\d{4}-\d{4})(?![\w@/-])"
        ),
        0.6,
        _code,
    ),
    Pattern(
        EntityType.ID,
        re.compile(r"(?<![\w-])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![\w-])"),
        0.9,
    ),
    Pattern(
        EntityType.ID,
        re.compile(r"(?<![\w-])(?:(?:sk|pk|rk)[-_]|gh[pousr]_|AKIA|xox[bp]-)[A-Za-z0-9_-]{12,200}"),
        0.9,
    ),
)
