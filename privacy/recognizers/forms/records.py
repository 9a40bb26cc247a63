"""Patterns of numbers after a word that names their kind, and of court numbers by their form.

"Medical record number 4471-22", "policy is QD-5520-18", "passport X1234567": any code with enough
digits after such a word is a value, in any form, since offices invent new forms every year.
"""

from __future__ import annotations

import re

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.checksums import only_digits, vin
from sage_rag.privacy.recognizers.forms.patterns import Anchor, Pattern

_CODE = r"[A-Za-z0-9]{1,40}(?:[-/_.:][A-Za-z0-9]{1,40}){0,8}"
_VALUE = (
    rf"(?P<value>(?:(?-i:[A-Z]{{1,5}})[ ](?=\d))?(?=[A-Za-z/_.:-]{{0,12}}\d){_CODE}"
    rf"(?:[ ]\d{{2,}}){{0,5}})"
)

_KINDS: tuple[tuple[EntityType, str], ...] = (
    (EntityType.PASSPORT, r"passport|reisepass|pasaporte|passaporto|passeport"),
    (
        EntityType.DRIVER_LICENSE,
        r"driv(?:er['’]?s?['’]?|ing)[ ](?:licen[cs]e|permit)|führerschein|patente|licencia de"
        r" conducir|permis de conduire|dl",
    ),
    (EntityType.VEHICLE, r"licen[cs]e plate|number plate|plate|vin|kennzeichen|vehicle"),
    (EntityType.MEDICAL_LICENSE, r"npi|dea|medical licen[cs]e"),
    (EntityType.US_SSN, r"ssn|social security"),
    (EntityType.CREDIT_CARD, r"(?:credit|debit|bank|visa|mastercard|amex)[ ]card"),
    (EntityType.IBAN_CODE, r"iban"),
    (
        EntityType.BANK_ACCOUNT,
        r"account|acct|a/c|routing|sort code|konto|kontonummer|kto|blz|bankleitzahl",
    ),
    (
        EntityType.CASE_NUMBER,
        r"case|application|claim|docket|cause|(?<!on[ ])file|petition|appeal|aktenzeichen|az\."
        r"|dossier",
    ),
    (
        EntityType.MEDICAL_RECORD,
        r"mrn|phn|chi|uhid|medicaid|medicare|medical records?|health (?:id|record|plan)|hospital"
        r"|patient|chart|admission|discharge|encounter|accession|specimen|sample|prescription|rx"
        r"|insurance|insured|insurer|member(?:ship)?|subscriber|beneficiary|referral"
        r"|(?:prior )?authori[sz]ation|kvnr|versichertennummer",
    ),
    (
        EntityType.NATIONAL_ID,
        r"national|identity|tax(?:payer)?|aadhaar|tin|itin|nino|national insurance|personnummer"
        r"|steuer-?id|dni|nif|nie|codice fiscale|pesel|bsn|cpf|curp",
    ),
    (
        EntityType.ID,
        r"policy|licen[cs]e|reference|ref|folder|record|card|enrol(?:l)?ment|certificate|invoice"
        r"|booking|confirmation|sick note|bar|badge|employee|staff|student|customer|client"
        r"|registration|reg|serial|imei|imsi|iccid|order|ticket|visa|visit|voucher|id",
    ),
)
"""The words before a number, by the kind that they name. The first kind with a match wins."""

_WORDS = "|".join(words for _, words in _KINDS)
_ANNOUNCES = tuple(
    (kind, re.compile(rf"(?<![^\W\d_])(?:{words})s?(?![^\W\d_])", re.IGNORECASE))
    for kind, words in _KINDS
)
_LABEL = r"numbers|number|num|nr|nos|no|id|identifier|code|card|record|file|ref|reference"
_UNIT = re.compile(
    r"\s?(?:mg|mcg|g|kg|ml|l|cm|mm|iu|units?|%|hours?|hrs?|days?|weeks?|months?|years?|times"
    r"|people|patients|pm|am|tablets?|pills?|pounds|lbs?|bpm|kcal|calories|euros?|dollars|usd)\b",
    re.IGNORECASE,
)
_NO_RECORD = re.compile(
    r"\d{1,3}-?(?:years?|yrs?|months?|weeks?|days?|hours?|pounds?|inch)\b.*"
    r"|.*\.(?:pdf|docx?|xlsx?|pptx?|jpe?g|png|gif|txt|csv|zip|html?)",
    re.IGNORECASE,
)
"""An age ("13-year-old") or a file's name."""
_READING = re.compile(r"\d{1,3}(?:[/:.]\d{1,3}){1,2}|(?:19|20)\d\d")


_CARD_DIGITS = range(12, 20)
"""Source: ISO/IEC 7812-1, with the twelve digits of the oldest Maestro cards."""


def _kind(match: re.Match[str]) -> EntityType:
    """Return the type that the words before the value name."""
    before = match.string[match.start() : match.start("value")]
    if "card" in before.lower() and len(only_digits(match.group("value"))) in _CARD_DIGITS:
        return EntityType.CREDIT_CARD
    return next((kind for kind, words in _ANNOUNCES if words.search(before)), EntityType.ID)


def _record_number(match: re.Match[str]) -> tuple[int, int] | None:
    """Accept a value with enough digits that is not a reading, dose or plain year."""
    value = match.group("value")
    count = len(only_digits(value))
    letters = any(c.isalpha() for c in value)
    labelled = match.group("label") is not None
    if (match.groupdict().get("comma") and count < 6) or _NO_RECORD.fullmatch(value):
        return None
    if _UNIT.match(match.string, match.end()) or (_READING.fullmatch(value) and not labelled):
        return None
    return match.span("value") if count >= (2 if letters and len(value) >= 5 else 4) else None


def _vin(match: re.Match[str]) -> tuple[int, int] | None:
    return match.span() if vin(match.group()) else None


_ANNOUNCED = re.compile(
    # Every word begins with a letter: at other places none has to be tried.
    rf"(?<![A-Za-z])(?=[^\W\d_])(?:{_WORDS})(?:[ _-](?:{_WORDS}))?s?(?![A-Za-z])"
    rf"(?P<label>[ _-]?\(?(?:{_LABEL})\b|[ ]?\#)?[\"']?\.?(?:[ ](?:there|still))?"
    r"(?:[ ]?[:=#-]|(?P<comma>,)|[ ](?:is|was|says|no\.?|number|num\.?|with(?:[ ]the)?|under))"
    rf"{{0,3}}[ ]?\s?[\"'(#]?{_VALUE}(?![\w@])",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"\b(?P<label>number|no\.|nr\.?|num\.)[ ]?(?:is|was|still|:|=|#|[ ]){{0,4}}{_VALUE}(?![\w@])",
    re.IGNORECASE,
)
_COURT = re.compile(
    # Strasbourg and other courts that number by year: "no. 12345/06", lists of them
    # (three digits before the stroke would be a blood pressure, 19.. and 20.. a month)
    r"(?<![\w/.-])(?:(?!(?:19|20)\d\d/)\d{4,6}/(?:(?:19|20)\d\d|\d\d)(?=[,;)\].]{0,2}(?:\s|$))"
    # United States, federal: "4:26-cv-02212-WRJ"; state: "2024-CV-9711", "CV-2024-001234"
    r"|\d{1,2}:\d{2}-[A-Za-z]{2,4}-\d{3,6}(?:-[A-Z]{2,4}){0,2}"
    r"|(?:19|20)\d\d[- ](?:CV|CR|CRIM|FAM|PR|DR|CA|CF|MH|JV|CIV|SC)[- ]\d{2,7}"
    # Germany: "II ZR 12/20", "1 BvR 2019/16", "5 StR 123/20", "12 O 345/19"; Poland: "II CSK 12/15"
    r"|(?:\d{1,3}|[IVX]{1,5})[ ](?:BvR|BvL|BvF|BvE|ZR|ZB|StR|StB|AZR|AZN|CSK|KK|UKS|SA/[A-Z][a-z]"
    r"|[A-Z][a-z]?[A-Z]?)[ ]\d{1,5}/\d{2}(?:\d{2})?"
    # European Union: "C-131/12"; neutral citations: "[2019] EWCA Civ 123", "2019 SCC 12"
    r"|[CTF][-‑]\d{1,4}/\d{2}(?:[ ]P)?"
    r"|\[(?:19|20)\d\d\][ ](?:UKSC|UKHL|UKPC|UKUT|UKFTT|EWCA|EWHC|EWCOP|EWFC|CSIH|CSOH|NICA|IESC"
    r"|IEHC|HCA|FCA|NZSC|NZCA)[ ](?:[A-Z][a-z]{2,4}[ ])?\d{1,5}"
    # France: "n° 12-34.567", "RG n° 12/03456"; India: "W.P.(C) No. 123/2019"
    r"|(?<=n°[ ])\d{2}-\d{2}\.\d{3}|(?:19|20)\d\d[ ](?:SCC|FC|FCA|ONCA|ABCA|BCCA)[ ]\d{1,4}"
    r")(?![\w/-])"
)
_VIN = re.compile(r"(?<![\w-])(?=[A-HJ-NPR-Z]{0,16}\d)[A-HJ-NPR-Z0-9]{17}(?![\w-])")
_PLATE = re.compile(
    r"\b(?:(?:licen[cs]e|number|registration|reg|vehicle)[ ]plates?|plates?|plate number"
    r"|registration (?:number|mark)|number[ -]?plates?|kennzeichen|plaka|targa|matrícula"
    r"|immatriculation)\b(?:[ ](?:number|no\.?|is|was|reads|reading)|[ ]?[:#=-]){0,3}[ ]?[\"'(]?"
    r"(?P<value>(?=[A-Z -]{0,8}\d|\d{1,4}[ -]?[A-Z])(?-i:[A-ZÄÖÜ0-9]{1,8}(?:[ -][A-Z0-9]{1,5})"
    r"{0,3}))(?!\w)",
    re.IGNORECASE,
)


def _plate(match: re.Match[str]) -> tuple[int, int] | None:
    value = match.group("value")
    letters = sum(c.isalpha() for c in value)
    return match.span("value") if letters and 4 <= sum(map(str.isalnum, value)) <= 9 else None


_TWO_DIGITS = Anchor(re.compile(r"\d[\w./:-]{0,6}\d"), before=80)
"""No record number has fewer digits. The word for it comes before."""

RECORDS = (
    Pattern(EntityType.ID, _ANNOUNCED, 0.85, _record_number, type_of=_kind, anchor=_TWO_DIGITS),
    Pattern(EntityType.ID, _NUMBERED, 0.7, _record_number, anchor=_TWO_DIGITS),
    Pattern(EntityType.CASE_NUMBER, _COURT, 0.87, needs="/-]", anchor=_TWO_DIGITS),
    Pattern(EntityType.VEHICLE, _VIN, 0.9, _vin, anchor=_TWO_DIGITS),
    Pattern(
        EntityType.VEHICLE,
        _PLATE,
        0.86,
        _plate,
        needs=("late", "mark", "eichen", "laka", "arga", "ricula", "rícula", "iculation"),
    ),
)
