"""The checks of Presidio's recognizers: checksums, dates and codes that a value must have.

Ported from `presidio-analyzer` 2.2.366 (MIT, Microsoft and contributors; see `SOURCES.md`). A check
returns `True` for a valid value, `False` for an impossible one, and `None` where it cannot say.
On a letter or digit that a check does not know it raises `ValueError` or `LookupError`. A test
compares every check with that of the installed package.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from datetime import date
from itertools import cycle
from string import ascii_uppercase
from string import digits as ascii_digits

from sage_rag.privacy.recognizers.forms.checksums import luhn_digits
from sage_rag.privacy.recognizers.presidio.arithmetic import (
    digit_sum,
    digits_of,
    mod_11_10,
    numbers,
    verhoeff,
    wallet,
    weighted,
    without_separators,
)
from sage_rag.privacy.recognizers.presidio.patterns import Check, indian_districts


def _dea_number(value: str) -> bool:
    *body, check = digits_of(without_separators(value)[2:])
    return (2 * sum(body[-1::-2]) + sum(body[-2::-2]) - check) % 10 == 0


def _npi(value: str) -> bool:
    bare = without_separators(value)
    return len(set(bare[:-1])) > 1 and luhn_digits(digits_of("80840" + bare))


def _lanr(value: str) -> bool:
    digits = digits_of(value)
    return len(digits) == 9 and -weighted(digits[:6], cycle((4, 9))) % 10 == digits[6]


def _medicare(value: str) -> bool:
    digits = digits_of("".join(without_separators(value).split()))
    return weighted(digits[:8], cycle((1, 3, 7, 9))) % 10 == digits[8]


def _letter_as_number(letter: str) -> list[int]:
    """Return the two digits of the place of a letter in the alphabet: A is 01."""
    return digits_of(f"{ord(letter) - ord('A') + 1:02}")


def _kvnr(value: str) -> bool:
    code = value.upper()
    if not re.fullmatch(r"[A-Z]\d{9}", code):
        return False
    digits = _letter_as_number(code[0]) + digits_of(code[1:])
    products = (d * w for d, w in zip(digits[:10], cycle((1, 2)), strict=False))
    return sum(map(digit_sum, products)) % 10 == digits[10]


def _routing_number(value: str) -> bool:
    return weighted(digits_of(without_separators(value, without="-")), cycle((3, 7, 1))) % 10 == 0


def _sin(value: str) -> bool | None:
    return None if luhn_digits(digits_of(filter(str.isdigit, value))) else False


_NIF_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"


def _nif(value: str) -> bool:
    code = without_separators(value).upper()
    return code[-1] == _NIF_LETTERS[int("".join(filter(str.isdigit, code))) % 23]


def _nie(value: str) -> bool:
    code = without_separators(value).upper()
    if not code[1:-1].isdigit() or code[0] not in "XYZ" or len(code) not in (8, 9):
        return False
    return code[-1] == _NIF_LETTERS[int(f"{'XYZ'.index(code[0])}{code[1:-1]}") % 23]


_FISCAL_EVEN = {c: i for row in (ascii_digits, ascii_uppercase) for i, c in enumerate(row)}
_FISCAL_ODD = numbers("1 0 5 7 9 13 15 17 19 21 2 4 18 20 11 3 6 8 12 14 16 10 22 25 24 23")


def _fiscal_code(value: str) -> bool | None:
    code = value.upper()
    odd = sum(_FISCAL_ODD[_FISCAL_EVEN[c]] for c in code[:-1:2])
    even = sum(_FISCAL_EVEN[c] for c in code[1:-1:2])
    return True if ascii_uppercase[(odd + even) % 26] == code[-1] else None


def _pesel(value: str) -> bool:
    digits = digits_of(value)
    return -weighted(digits[:10], cycle((1, 3, 7, 9))) % 10 == digits[10]


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


_HETU_CENTURIES = {"+": 1800, **dict.fromkeys("-YXWVU", 1900)}


def _hetu(value: str) -> bool:
    if len(value) != 11:
        return False
    day, month, year = int(value[:2]), int(value[2:4]), int(value[4:6])
    if not _is_date(_HETU_CENTURIES.get(value[6], 2000) + year, month, day):
        return False
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(value[:6] + value[7:10]) % 31] == value[-1].upper()


def _personnummer(value: str) -> bool:
    digits = "".join(filter(str.isdigit, value))[-10:]
    if len(digits) != 10:
        return False
    month, day = int(digits[2:4]), int(digits[4:6])
    day -= 60 if day >= 61 else 0  # a coordination number
    return 1 <= month <= 12 and 1 <= day <= 31 and luhn_digits(digits_of(digits))


def _german_tax_id(value: str) -> bool:
    digits = digits_of(value)
    repeats = max(Counter(digits[:10]).values())
    return repeats <= 3 and mod_11_10(digits[:10]) == digits[10]


def _german_code(value: str) -> bool:
    """Check the last digit of a code of letters and digits. Source: ICAO Doc 9303, part 3."""
    body, last = value[:-1], value[-1]
    if not last.isdigit() or not all(c.isdigit() or "A" <= c <= "Z" for c in body):
        return False
    numbers = (int(c) if c.isdigit() else ord(c) - ord("A") + 10 for c in body)
    return weighted(numbers, cycle((7, 3, 1))) % 10 == int(last)


def _german_identity_card(value: str) -> bool | None:
    code = value.upper()
    if len(code) != 9:
        return False
    return None if code[0] == "T" and code[1:].isdigit() else _german_code(code)


def _german_passport(value: str) -> bool:
    code = value.upper()
    return len(code) == 9 and not set(code[:-1]) & set("ABDEIOQSU") and _german_code(code)


def _german_social_security(value: str) -> bool:
    code = value.upper()
    if not re.fullmatch(r"\d{8}[A-Z]\d{3}", code):
        return False
    day, month = int(code[2:4]), int(code[4:6])
    if not (1 <= day <= 31 or 51 <= day <= 81) or not 1 <= month <= 12:
        return False
    digits = digits_of(code[:8]) + _letter_as_number(code[8]) + digits_of(code[9:])
    weights = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
    products = (d * w for d, w in zip(digits, weights, strict=False))
    return sum(map(digit_sum, products)) % 10 == digits[12]


def _german_vat(value: str) -> bool | None:
    digits = digits_of(re.sub(r"[\s.-]", "", value)[2:])
    return True if mod_11_10(digits[:8]) == digits[8] else None


def _tfn(value: str) -> bool:
    digits = digits_of("".join(without_separators(value).split()))
    return weighted(digits[:9], (1, 4, 3, 7, 5, 8, 6, 9, 10)) % 11 == 0


def _aadhaar(value: str) -> bool:
    code = without_separators(value, without="- :")
    return int(code[0]) >= 2 and code != code[::-1] and verhoeff(digits_of(code))


def _nin(value: str) -> bool:
    return verhoeff(digits_of(value))


def _korean_number(value: str, modulus: int) -> bool | None:
    digits = digits_of(without_separators(value, without="-"))
    if len(digits) != 13:
        return False
    total = weighted(digits[:12], (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5))
    region = 10 * digits[7] + digits[8]
    return True if region <= 95 and (modulus - total % 11) % 10 == digits[12] else None


def _rrn(value: str) -> bool | None:
    return _korean_number(value, 11)


def _frn(value: str) -> bool | None:
    return _korean_number(value, 13)


def _tnin(value: str) -> bool:
    digits = digits_of(value)
    remainder = weighted(digits[:12], range(13, 1, -1)) % 11
    return (1 - remainder if remainder <= 1 else 11 - remainder) == digits[12]


def _turkish_id(value: str) -> bool:
    digits = digits_of(value)
    tenth = (7 * sum(digits[0:9:2]) - sum(digits[1:8:2])) % 10
    return value[0] != "0" and tenth == digits[9] and sum(digits[:10]) % 10 == digits[10]


def _south_african_id(value: str) -> bool:
    if len(value) != 13 or not value.isdigit():
        return False
    today = date.today()
    year = int(value[:2])
    born = (1900 if year > today.year % 100 else 2000) + year, int(value[2:4]), int(value[4:6])
    if not _is_date(*born) or date(*born) > today:
        return False
    return value[10] in "012" and value[11] in "89" and luhn_digits(digits_of(value))


def _traffic_register(value: str) -> bool:
    return not _south_african_id(value)


def _south_african_tax(value: str) -> bool:
    return value[0] in "01239"


def _south_african_passport(value: str) -> bool:
    return value[0].upper() in "ADMT" and value[1:].isdigit()


def _south_african_licence(value: str) -> bool:
    code = value.upper()
    if not re.fullmatch(r"\d{6,10}[A-Z0-9]{2,5}", code) or not 10 <= len(code) <= 14:
        return False
    return bool(re.search("[A-Z]", code))


def _south_african_plate(value: str) -> bool:
    code = without_separators(value).upper()
    province = code[-2:] in {"GP", "ZN", "WP", "EC", "NC", "FS", "LP", "MP", "NW"}
    return len(code) >= 5 and province and any(map(str.isalpha, code[:-2]))


def _philippine_tin(value: str) -> bool | None:
    digits = digits_of(without_separators(value))
    if len(digits) not in (9, 12):
        return False
    return None if weighted(digits[:8], range(9, 1, -1)) % 11 == digits[8] else False


def _british_licence(value: str) -> bool | None:
    return None if re.match(r"[A-Z]+9*$", value.upper()[:5]) else False


def _korean_licence(value: str) -> bool:
    code = without_separators(value)
    return len(code) == 12 and code.isdigit() and code[:2] in _KOREAN_REGIONS


_KOREAN_REGIONS = {str(n) for n in (*range(11, 27), 28)}


def _british_plate(value: str) -> bool | None:
    code = without_separators(value)
    if len(code) == 7 and code[:2].isalpha() and code[2:4].isdigit():
        return 2 <= int(code[2:4]) <= 29 or 51 <= int(code[2:4]) <= 79
    return None


def _turkish_plate(value: str) -> bool | None:
    code = without_separators(value)
    return 1 <= int(code[:2]) <= 81 if len(code) >= 3 and code[:2].isdigit() else None


def _indian_plate(value: str) -> bool | None:
    code = without_separators(value, without="- :")
    districts = indian_districts().get(code[:2].upper(), frozenset())
    if len(code) < 8 or not code[2].isdigit() or not code[-4:].isnumeric() or not int(code[-4:]):
        return None
    district = code[2:4] if code[3].isdigit() else code[2]
    return True if district in districts or str(int(district)) in districts else None


CHECKS: Mapping[str, Check] = {
    "CryptoRecognizer": wallet,
    "MedicalLicenseRecognizer": _dea_number,
    "UsNpiRecognizer": _npi,
    "DeLanrRecognizer": _lanr,
    "AuMedicareRecognizer": _medicare,
    "DeHealthInsuranceRecognizer": _kvnr,
    "AbaRoutingRecognizer": _routing_number,
    "CaSinRecognizer": _sin,
    "EsNifRecognizer": _nif,
    "EsNieRecognizer": _nie,
    "ItFiscalCodeRecognizer": _fiscal_code,
    "PlPeselRecognizer": _pesel,
    "FiPersonalIdentityCodeRecognizer": _hetu,
    "SePersonnummerRecognizer": _personnummer,
    "DeTaxIdRecognizer": _german_tax_id,
    "DeIdCardRecognizer": _german_identity_card,
    "DeSocialSecurityRecognizer": _german_social_security,
    "DeVatIdRecognizer": _german_vat,
    "AuTfnRecognizer": _tfn,
    "InAadhaarRecognizer": _aadhaar,
    "KrRrnRecognizer": _rrn,
    "KrFrnRecognizer": _frn,
    "ThTninRecognizer": _tnin,
    "TrNationalIdRecognizer": _turkish_id,
    "ZaIdNumberRecognizer": _south_african_id,
    "ZaIncomeTaxNumberRecognizer": _south_african_tax,
    "ZaTrafficRegisterNumberRecognizer": _traffic_register,
    "NgNinRecognizer": _nin,
    "PhTinRecognizer": _philippine_tin,
    "DePassportRecognizer": _german_passport,
    "ZaPassportRecognizer": _south_african_passport,
    "UkDrivingLicenceRecognizer": _british_licence,
    "KrDriverLicenseRecognizer": _korean_licence,
    "ZaDriverLicenseRecognizer": _south_african_licence,
    "UkVehicleRegistrationRecognizer": _british_plate,
    "InVehicleRegistrationRecognizer": _indian_plate,
    "TrLicensePlateRecognizer": _turkish_plate,
    "ZaLicensePlateRecognizer": _south_african_plate,
}
"""The check of a recognizer, by the name of its class; other recognizers check nothing."""
