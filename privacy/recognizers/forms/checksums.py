"""Checksums that separate real card, account or patient numbers from other digits."""

from __future__ import annotations

from collections.abc import Sequence

_IBAN_LENGTHS = {
    **{"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22},
    **{"BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28},
    **{"EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23},
    **{"GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26},
    **{"IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20},
    **{"LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18},
    **{"NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24},
    **{"SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24},
    **{"TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20},
}
"""Length of an IBAN by country. Source: SWIFT IBAN Registry (ISO 13616)."""


def only_digits(text: str) -> str:
    """Return the ASCII digits of a text."""
    return "".join(c for c in text if "0" <= c <= "9")


def luhn(number: str) -> bool:
    """Return whether the digits of a number satisfy the Luhn formula (ISO/IEC 7812-1)."""
    digits = only_digits(number)
    return bool(digits) and luhn_digits([int(digit) for digit in digits])


def luhn_digits(digits: Sequence[int]) -> bool:
    """Return whether digits satisfy the Luhn formula."""
    products = (digit * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(product - 9 if product > 9 else product for product in products) % 10 == 0


def resident_id_check(body: str) -> str:
    """Return the last character of a Chinese resident id for its first 17 digits.

    Source: GB 11643-1999, after ISO 7064 MOD 11-2.
    """
    total = sum(int(digit) * weight for digit, weight in zip(body, _ID_WEIGHTS, strict=True))
    return "10X98765432"[total % 11]


_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def iban_length(country: str) -> int | None:
    """Return the length of a country's IBAN; `None` for an unknown country."""
    return _IBAN_LENGTHS.get(country.upper())


def iban(value: str) -> bool:
    """Return whether a compact IBAN has its country's length and remainder 1 modulo 97."""
    compact = value.upper()
    if not (compact.isascii() and compact.isalnum()) or iban_length(compact[:2]) != len(compact):
        return False
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


def nhs(number: str) -> bool:
    """Return whether ten digits satisfy the modulus 11 check of an English NHS number."""
    digits = [int(d) for d in only_digits(number)]
    if len(digits) != 10 or len(set(digits)) == 1:
        return False
    remainder = sum(d * weight for d, weight in zip(digits, range(10, 1, -1), strict=False)) % 11
    return (11 - remainder) % 11 == digits[9]


_VIN_VALUES = {
    **{str(d): d for d in range(10)},
    **dict(zip("ABCDEFGH", range(1, 9), strict=True)),
    **dict(zip("JKLMN", range(1, 6), strict=True)),
    **{"P": 7, "R": 9},
    **dict(zip("STUVWXYZ", range(2, 10), strict=True)),
}
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def vin(number: str) -> bool:
    """Return whether 17 characters satisfy the check digit of a vehicle identification number.

    Source: 49 CFR 565.15(c). Does not guarantee: European makers need not set that digit.
    """
    code = number.upper()
    if len(code) != len(_VIN_WEIGHTS) or not set(code) <= set(_VIN_VALUES):
        return False
    total = sum(_VIN_VALUES[c] * w for c, w in zip(code, _VIN_WEIGHTS, strict=True))
    return code[8] == "0123456789X"[total % 11]
