"""Surrogate numbers: another number of the same shape with a valid check digit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import count
from string import ascii_lowercase, ascii_uppercase

from sage_rag.privacy.operators.keyed import KeyedChoice
from sage_rag.privacy.recognizers.forms.checksums import (
    iban_length,
    luhn,
    nhs,
    only_digits,
    resident_id_check,
)
from sage_rag.privacy.words import normalize

_LABELS = frozenset(
    "no nos nr num number id ref reference mrn nhs case application file docket chart member "
    "patient account acct policy license licence plate vin passport visa and of the".split()
)
"""Words that name the kind of a number; they stay."""
_RUN = re.compile(r"[^\W_]+")
_HEX = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{12,}", re.IGNORECASE)
_PLATES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
"""First characters of Chinese number plates."""
_CHINESE_ID = re.compile(r"\d{17}[\dXx]")
_IMMUTABLE_CARD_DIGITS = 2
"""The first two digits name the network (ISO/IEC 7812); with them an Amex stays an Amex."""
_WALLET = re.compile(r"bc1|tb1|0x|[13LD]")


def surrogate_code(value: str, choice: KeyedChoice) -> str:
    """Return another code of the same pattern: digits for digits, letters for letters.

    Punctuation, case, length and words such as "No." stay. Codes that differ only in case and
    punctuation get codes with the same property. Unknown checksums are not valid.
    """
    every = list(_RUN.finditer(value))
    # Words such as "ID" alone are the code itself: it must not stay in clear.
    runs = [m for m in every if m.group().casefold() not in _LABELS] or every
    compact = "".join(m.group() for m in runs)
    if not compact:
        return value
    for attempt in count():
        stream = choice.stream("code", compact.casefold(), str(attempt))
        if _HEX.fullmatch(compact):
            new = "".join(_hex_like(c, stream) for c in compact)
        else:
            new = "".join(_like(c, stream) for c in compact)
        if new.casefold() != compact.casefold():
            break
    return _refill(value, runs, new)


def _refill(value: str, runs: list[re.Match[str]], characters: str) -> str:
    parts, position, used = [], 0, 0
    for run in runs:
        length = len(run.group())
        parts += [value[position : run.start()], characters[used : used + length]]
        position, used = run.end(), used + length
    return "".join([*parts, value[position:]])


def _like(character: str, stream: Iterator[int]) -> str:
    drawn = next(stream)
    if character.isdecimal():
        return str(drawn % 10)
    if "\u3400" <= character <= "\u9fff":
        return _PLATES[drawn % len(_PLATES)]
    return (ascii_uppercase if character.isupper() else ascii_lowercase)[drawn % 26]


def _hex_like(character: str, stream: Iterator[int]) -> str:
    found = "0123456789abcdef"[next(stream) % 16]
    return found.upper() if character.isupper() else found


def surrogate_card(value: str, choice: KeyedChoice) -> str:
    """Return a card number with the same network, length and spacing that satisfies Luhn."""
    digits = only_digits(value)
    if len(digits) < 8:
        return surrogate_code(value, choice)
    for attempt in count():
        body = digits[:_IMMUTABLE_CARD_DIGITS] + draw_digits(
            len(digits) - _IMMUTABLE_CARD_DIGITS - 1, choice, "card", digits, str(attempt)
        )
        new = next(body + str(check) for check in range(10) if luhn(body + str(check)))
        if new != digits:
            return fill(value, new)
    raise AssertionError("unreachable")


def surrogate_iban(value: str, choice: KeyedChoice) -> str:
    """Return an IBAN of the same country and spacing with valid check digits."""
    compact = "".join(c for c in value if c.isalnum()).upper()
    if iban_length(compact[:2]) != len(compact):
        return surrogate_code(value, choice)
    stream = choice.stream("iban", compact)
    body = "".join(_like(c, stream) for c in compact[4:])
    number = "".join(str(int(c, 36)) for c in f"{body}{compact[:2]}00")
    new = f"{compact[:2]}{98 - int(number) % 97:02d}{body}"
    runs = list(_RUN.finditer(value))
    return _refill(value, runs, new if value.upper() == value else new.lower())


def surrogate_ssn(value: str, choice: KeyedChoice) -> str:
    """Return a number in the form of US Social Security numbers; it may be a real person's.

    Source: SSA, "Social Security Number Randomization": no area 000, 666 or 900 to 999.
    """
    digits = only_digits(value)
    if len(digits) != 9:
        return surrogate_code(value, choice)
    for attempt in count():
        draw = (choice.number(n, p, digits, str(attempt)) for n, p in _SSN_PARTS)
        area, group, serial = (1 + number for number in draw)
        new = f"{area:03d}{group:02d}{serial:04d}"
        if area != 666 and new != digits:
            return fill(value, new)
    raise AssertionError("unreachable")


_SSN_PARTS = ((899, "area"), (99, "group"), (9999, "serial"))


def surrogate_nhs(value: str, choice: KeyedChoice) -> str:
    """Return a valid NHS number of the range 999, which is reserved for test patients."""
    digits = only_digits(value)
    if len(digits) != 10:
        return surrogate_code(value, choice)
    for attempt in count():
        body = "999" + draw_digits(6, choice, "nhs", digits, str(attempt))
        for check in "0123456789":
            if nhs(body + check) and body + check != digits:
                return fill(value, body + check)
    raise AssertionError("unreachable")


def surrogate_national_id(value: str, choice: KeyedChoice) -> str:
    """Return a code of the same pattern; for a Chinese resident id with a valid checksum."""
    compact = value.strip()
    if not _CHINESE_ID.fullmatch(compact):
        return surrogate_code(value, choice)
    birth = date(1940, 1, 1) + timedelta(days=choice.number(25_000, "birth", compact))
    body = compact[:2] + draw_digits(4, choice, "district", compact) + f"{birth:%Y%m%d}"
    body += draw_digits(3, choice, "order", compact)
    return value.replace(compact, body + resident_id_check(body))


def surrogate_wallet(value: str, choice: KeyedChoice) -> str:
    """Return a wallet address of the same kind and length with an invalid checksum."""
    kind = _WALLET.match(value)
    start = kind.end() if kind else 0
    if kind and kind.group() == "0x":  # hexadecimal: other letters would show a surrogate
        drawn = choice.digest("wallet", normalize(value)).hex()
        return value[:start] + (drawn * len(value))[: len(value) - start]
    return value[:start] + surrogate_code(value[start:], choice)


def fill(value: str, digits: str) -> str:
    """Return a value with its ASCII digits replaced in order, the rest unchanged."""
    rest = iter(digits)
    return "".join(next(rest) if "0" <= c <= "9" else c for c in value)


def draw_digits(length: int, choice: KeyedChoice, *parts: str) -> str:
    """Return `length` digits for a purpose and a value."""
    stream = choice.stream(*parts)
    return "".join(str(next(stream) % 10) for _ in range(length))
