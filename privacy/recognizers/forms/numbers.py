"""Patterns of numbers with a form of their own: cards, banks, social security."""

from __future__ import annotations

import re

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.checksums import iban, iban_length, luhn, nhs, only_digits
from sage_rag.privacy.recognizers.forms.patterns import Anchor, pattern

_PRINTED_CARD = re.compile(
    r"\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|3[47]\d\d([ -])\d{6}\2\d{5}"
)


def _card(match: re.Match[str]) -> tuple[int, int] | None:
    """Return the match, or the printed card among its groups: other numbers may be next to it."""
    if _OF_A_DEVICE.search(match.string, max(0, match.start() - 24), match.start()):
        return None
    if luhn(match.group()):
        return match.span()
    groups = [group.span() for group in _DIGITS.finditer(match.string, *match.span())]
    for first, (start, _) in enumerate(groups):
        for _, end in reversed(groups[first:]):
            part = match.string[start:end]
            if _PRINTED_CARD.fullmatch(part) and luhn(part):
                return start, end
    return None


def _iban(match: re.Match[str]) -> tuple[int, int] | None:
    """Shorten the match to its country's length: the rest may be the next word."""
    text, wanted = match.group(), iban_length(match.group()[:2])
    if wanted is None:
        return None
    letters = [i for i, character in enumerate(text) if character.isalnum()]
    if len(letters) < wanted:
        return None
    end = letters[wanted - 1] + 1
    whole_word = end == len(text) or not text[end].isalnum()
    compact = "".join(text[i] for i in letters[:wanted])
    if not whole_word or not (iban(compact) or _digits_outweigh(compact)):
        return None
    return match.start(), match.start() + end


def _without_next_words(match: re.Match[str]) -> tuple[int, int]:
    """Return the value, without the words after it where a whole IBAN ends before them."""
    start, end = match.span("value" if "value" in match.re.groupindex else 0)
    value = match.string[start:end]
    for at in range(len(value), 0, -1):
        if (at == len(value) or value[at] == " ") and iban(value[:at].replace(" ", "")):
            return start, start + at
    return start, end


def _digits_outweigh(compact: str) -> bool:
    """Accept a mistyped IBAN by the country's length and mostly digits."""
    return compact[:2].isupper() and len(only_digits(compact)) * 3 >= len(compact) * 2


def _nhs(match: re.Match[str]) -> tuple[int, int] | None:
    return match.span("value") if nhs(match.group("value")) else None


def _code(match: re.Match[str]) -> tuple[int, int] | None:
    if match.group().startswith("NDC"):  # the national code of a drug, not of a person
        return None
    return match.span() if len(only_digits(match.group())) >= 4 else None


_DIGITS = re.compile(r"\d+")
_OF_A_DEVICE = re.compile(
    r"\b(?:imei|iccid)(?:\W{1,2}(?:no|number|code|is|was)\b){0,2}\W{0,3}\Z", re.IGNORECASE
)
"""IMEI and ICCID numbers end with a Luhn digit, as those of cards do."""
_SIX_DIGITS = Anchor(re.compile(r"\d(?:[ .-]?\d){5}"), before=48)

NUMBERS = (
    pattern(
        EntityType.CREDIT_CARD, r"(?<![\w+.-])[1-6](?:[ -]?\d){11,18}(?![\w-]|\.\d)", 0.95, _card
    ),
    # A mistyped number is private, too, after a word for it or in the printed groups.
    pattern(
        EntityType.CREDIT_CARD,
        r"\b(?:cards?|credit|debit|visa|master[ ]?card|amex|american express|maestro|discover"
        r"|jcb|diners(?: club)?|cc|kreditkarte|tarjeta|carte bancaire|carta di credito)\b"
        r"[\w :#.,=\"'-]{0,24}?[ :#=\"']"
        r"(?P<value>\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{1,4}(?:[ -]?\d{3})?"
        r"|\d{4}[ -]?\d{6}[ -]?\d{4,5})(?![\w-])",
        0.9,
        ignore_case=True,
        anchor=_SIX_DIGITS,
    ),
    pattern(
        EntityType.CREDIT_CARD,
        r"(?<![\w+.-])(?:[3-6]\d{3}([ -])\d{4}\1\d{4}\1\d{4}|3[47]\d\d([ -])\d{6}\2\d{5})"
        r"(?![\w-]|\.\d)",
        0.85,
    ),
    pattern(
        EntityType.CREDIT_CARD,
        r"(?<![\w+.-])[3-6]\d{3}(?:\.\d{4}){3}(?![\w-]|\.\d)",
        0.9,
        _card,
        needs=".",
    ),
    # Ethereum and chains with the same form; Presidio finds only Bitcoin's
    pattern(EntityType.CRYPTO, r"(?<!\w)0x[0-9A-Fa-f]{40}(?!\w)", 0.97, needs="x"),
    pattern(EntityType.IBAN_CODE, r"\b[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}", 0.97, _iban),
    # Cut off, but with a unique start: country, check digits, the bank's four letters.
    pattern(
        EntityType.IBAN_CODE,
        r"\b(?:AE|AZ|BG|BH|GB|GI|GL|IE|JO|KW|LV|MT|NL|PK|QA|RO|VG)\d{2}[ ]?[A-Z]{4}[ ]?"
        r"\d(?:[ ]?[A-Z0-9]){5,22}\b",
        0.85,
        _without_next_words,
    ),
    pattern(
        EntityType.IBAN_CODE,
        r"\biban\b[\s:#is]{1,6}(?P<value>(?-i:[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]){8,30})"
        r"|[A-Z]{2}\d{2}[A-Z0-9]{8,30})\b",
        0.9,
        _without_next_words,
        ignore_case=True,
    ),
    pattern(
        EntityType.US_SSN,
        r"(?<![\w-])(?!000|666)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-])",
        0.92,
    ),
    pattern(
        EntityType.US_SSN,
        r"\b(?:ssn|social security)\b[\w\s:#.]{0,14}?\b(?P<value>\d{9})\b",
        0.92,
        ignore_case=True,
        anchor=_SIX_DIGITS,
    ),
    pattern(
        EntityType.US_SSN,
        r"(?<![\w.-])(?P<value>\d{9})[ ](?:is|was)[ ](?:my|his|her|their|the)[ ]"
        r"(?:ssn|social security)\b",
        0.92,
        ignore_case=True,
    ),
    # A masked number still shows the last four digits.
    pattern(EntityType.US_SSN, r"(?<![\w*-])[xX*#]{3}-[xX*#]{2}-\d{4}(?![\w-])", 0.9, needs="-"),
    # Switzerland writes its personal number only in this form, with the country's code.
    pattern(
        EntityType.NATIONAL_ID, r"(?<![\w.])756\.\d{4}\.\d{4}\.\d{2}(?![\w]|\.\d)", 0.95, needs="."
    ),
    pattern(
        EntityType.UK_NHS, r"(?<![\w+.-])(?P<value>\d{3}[ ]\d{3}[ ]\d{4})(?![\w-])", 0.92, _nhs
    ),
    pattern(
        EntityType.UK_NHS,
        r"\bnhs\b[\w\s:#.]{0,14}?\b(?P<value>\d{3}[ -]?\d{3}[ -]?\d{4})(?![\w-])",
        0.95,
        _nhs,
        ignore_case=True,
        anchor=_SIX_DIGITS,
    ),
    pattern(
        EntityType.ID,
        r"(?<![\w@./-])(?:[A-Z]{2,5}(?:[-/]\d{2,12}){1,4}(?:[-/][A-Z0-9]{1,12}){0,3}"
        r"|\d{1,4}[:-]\d{0,4}-?[A-Za-z]{2,5}-\d{3,6}(?:-[A-Z]{2,4})?"
        r"|\d{2,6}-\d{3,6}-[A-Z]{1,2}|[A-Z]{1,2}\d{7,9}|[A-Z]\d{3}-\d{4}-\d{4})(?![\w@/-])",
        0.6,
        _code,
    ),
    pattern(
        EntityType.ID,
        r"(?<![\w-])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![\w-])",
        0.9,
    ),
    # No context; but no measure or sum has nine digits or more without a separator.
    pattern(
        EntityType.ID, r"(?<![\w.,/$€£¥@#+-])\d{9,19}(?![\w@%/-]|[.,]\d)", 0.4, anchor=_SIX_DIGITS
    ),
    pattern(
        EntityType.ID,
        r"\b(?:card|account|acct|a/c|number|phone|passport)\b[\w ]{0,20}?"
        r"\bend(?:ing|s|ed)[ ](?:in|with)[ ](?P<value>\d{3,6})(?!\w|[.,]\d)",
        0.7,
        ignore_case=True,
        needs=("end",),
    ),
)
