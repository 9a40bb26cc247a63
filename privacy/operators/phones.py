"""Surrogate telephone numbers: punctuation, length and country stay."""

from __future__ import annotations

import re
from itertools import count

from sage_rag.privacy.operators.keyed import KeyedChoice
from sage_rag.privacy.operators.numbers import draw_digits, fill, surrogate_code
from sage_rag.privacy.recognizers.forms.checksums import only_digits

_EXTENSION = re.compile(r"\s*(?:ext\.?|extension|x|#|durchwahl)\s*\d{1,6}$", re.IGNORECASE)
_TWO_DIGIT_CODES = frozenset(
    "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 "
    "65 66 81 82 84 86 90 91 92 93 94 95 98".split()
)
"""Source: ITU-T E.164, list of assigned country codes; 1 and 7 have one digit, others three."""
_NORTH_AMERICAN = re.compile(r"1?([2-9]\d\d[2-9]\d{6})")
_CHINESE_MOBILE = re.compile(r"1[3-9]\d{9}")
_SIGNIFICANT = 8
"""Last digits that identify a number, with or without its country or trunk prefix."""


def surrogate_phone(value: str, choice: KeyedChoice) -> str:
    """Return another number that is dialled the same way.

    North American numbers get 555-0100 to 555-0199, reserved for fiction, under another area code:
    63,360 numbers, so that two values of a large corpus may share one. Elsewhere the country code,
    trunk zero and the first digit after them stay and the rest is drawn: such a number may belong
    to a real person.

    Source: NANPA, "555 Line Number Resources".
    """
    extension = _EXTENSION.search(value)
    main = value[: extension.start()] if extension else value
    tail = _other_digits(extension.group(), choice) if extension else ""
    digits = only_digits(main)
    if len(digits) < 5:
        return surrogate_code(main, choice) + tail
    bare_mobile = _CHINESE_MOBILE.fullmatch(main.strip())
    north_american = None if bare_mobile else _NORTH_AMERICAN.fullmatch(digits)
    is_foreign = main.lstrip("( ").startswith("+") and digits[0] != "1"
    if north_american and not is_foreign:
        national = north_american[1]
        prefix = digits[: len(digits) - 10]
        return fill(main, prefix + _fictional(national, choice)) + tail
    return fill(main, _drawn(main, digits, choice)) + tail


def _other_digits(extension: str, choice: KeyedChoice) -> str:
    digits = only_digits(extension)
    return fill(extension, draw_digits(len(digits), choice, "extension", digits))


def _fictional(national: str, choice: KeyedChoice) -> str:
    for attempt in count():
        area = 200 + choice.number(800, "area", national, str(attempt))
        line = choice.number(100, "line", national, str(attempt))
        new = f"{area}55501{line:02d}"
        if new[1:3] != "11" and new[1] != "9" and new != national:
            return new
    raise AssertionError("unreachable")


def _drawn(main: str, digits: str, choice: KeyedChoice) -> str:
    kept = _prefix_length(main, digits)
    known_by = digits[-_SIGNIFICANT:]
    for attempt in count():
        stream = choice.stream("phone", known_by, str(attempt))
        # From the end, so that the same number with another prefix has the same last digits.
        drawn = "".join(str(next(stream) % 10) for _ in digits)[::-1]
        new = digits[:kept] + drawn[kept:]
        if new != digits:
            return new
    raise AssertionError("unreachable")


def _prefix_length(main: str, digits: str) -> int:
    """Return the number of leading digits that stay: country code, trunk zero, one digit more."""
    length = 0
    if main.lstrip("( ").startswith("+"):
        length = _code_length(digits)
    elif digits.startswith("00"):
        length = 2 + _code_length(digits[2:])
    while length < len(digits) and digits[length] == "0":
        length += 1
    # 13 to 19 make a Chinese number a mobile one.
    first = 2 if _CHINESE_MOBILE.fullmatch(digits[length:]) else 1
    return min(length + first, len(digits) - 4)


def _code_length(digits: str) -> int:
    if digits[0] in "17":
        return 1
    return 2 if digits[:2] in _TWO_DIGIT_CODES else 3
