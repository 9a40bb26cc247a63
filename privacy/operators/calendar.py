"""Read dates and rewrite them in place, in the notations that records use."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

from sage_rag.privacy.english import MONTHS, WEEKDAYS

_MONTHS = (
    " ".join(MONTHS),
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
)
_SHORT = "jan feb mar apr may jun jul aug sep oct nov dec"
_WEEKDAYS = (
    " ".join(WEEKDAYS),
    "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles jueves viernes sábado domingo",
    "mon tue wed thu fri sat sun",
)


def _numbered(rows: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    """Map a word to its row and its place in the row; an earlier row keeps a shared word."""
    found: dict[str, tuple[int, int]] = {}
    for row, words in enumerate(rows):
        for place, word in enumerate(words.split()):
            found.setdefault(word, (row, place))
    return found


_MONTH_ROWS = (*_MONTHS, _SHORT)
_MONTH_OF = {**_numbered(_MONTH_ROWS), "sept": (len(_MONTHS), 8)}
_WEEKDAY_OF = _numbered(_WEEKDAYS)
_MON = rf"(?P<mon>{'|'.join(sorted(_MONTH_OF, key=lambda w: (-len(w), w)))})\b\.?"
_YEAR = r"(?P<y>(?:1[5-9]|20)\d\d)"
_ANY_YEAR = r"(?P<y>(?:1[5-9]|20)\d\d|(?<=['’ -])\d\d(?![:.]))"
_M, _D = r"(?P<m>1[0-2]|0?[1-9])", r"(?P<d>3[01]|[12]\d|0?[1-9])"
_DAY = r"(?P<d>0?[1-9]|[12]\d|3[01])(?P<ord>st|nd|rd|th)?(?!\d)"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}年{_M}月(?:{_D}[日号])?",
        rf"{_M}月{_D}[日号]",
        rf"(?<!\d){_YEAR}(?P<sep>[-/.]){_M}(?:(?P=sep){_D})?(?!\d)",
        r"(?<!\d)(?P<a>\d{1,2})(?P<sep>[-/.] ?)(?P<b>\d{1,2})(?P=sep)"
        r"(?P<y>(?:1[5-9]|20)\d\d|\d\d)(?!\d)",
        rf"(?<!\d){_DAY}[\s.-]*(?:of |de |d')?{_MON}[\s,'’-]*(?:of |de |del )?"
        rf"(?:{_ANY_YEAR}(?!\d))?",
        rf"\b{_MON}[\s-]*(?:the )?{_DAY}(?:[\s,'’]+{_ANY_YEAR}(?!\d))?",
        rf"\b{_MON}[\s,-]*(?:of |de )?{_YEAR}(?!\d)",
        rf"(?<![\d/.-]){_M}[/.-]{_YEAR}(?!\d)",
        rf"(?<!\d){_YEAR}(?!\d|s\b)",
        rf"\b{_MON}",
    )
)
_CLOCK = re.compile(
    r"\d{1,2}(?::\d\d){1,2}(?:\.\d+)?|(?:UTC|GMT|[+-])\d\d:?\d\d|\d{1,2}(?:\.\d\d)? ?[ap]\.?m\b"
    r"|\d{1,2}[时點点](?:\d{1,2}分)?"
)
_WORD = re.compile(r"[^\W\d_]+")
_WORDS_OF_DATES = frozenset(
    "the of on in at from since until till by before after around about approximately circa"
    " between early mid late beginning start end middle this last next that same year month day"
    " date dated morning afternoon evening night noon midnight a s t z utc gmt am pm h hr hrs hours"
    " o clock uhr spring summer autumn fall winter first second third fourth fifth sixth seventh"
    " eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth"
    " eighteenth nineteenth twentieth thirtieth twenty thirty de del le la el am den der des du d"
    " ad st nd rd th 凌晨 清晨 早晨 早上 上午 中午 下午 傍晚 晚上 深夜 夜间 夜里 晚间 晚 早".split()
)
"""Words that a date contains or that stand with it, in lower case. Any other word, such as a name,
means that the value is not one date alone."""
_WEEKDAY = re.compile(rf"\b(?:{'|'.join(sorted(_WEEKDAY_OF, key=len, reverse=True))})\b", re.I)
_PIVOT, _FUTURE = 40, 30
"""Two digits below `_FUTURE` mean a year of this century, from `_PIVOT` one of the last. Those
between are not read: 1935 is a year of birth, and 2035 may be an appointment."""
_MONTHS_A_YEAR = 12
_DAYS_A_MONTH, _DAYS_A_YEAR = 30.44, 365.25
_NO_YEAR = 2000
"""A leap year, for dates without a year: it has a 29 February."""


@dataclass(frozen=True, slots=True)
class Day:
    """The parts of a date; `None` for a part that the text does not name."""

    year: int | None
    month: int | None
    day: int | None

    def as_date(self) -> date | None:
        """Return the calendar day, `None` for a coarser or an impossible date."""
        if self.year is None or self.month is None or self.day is None:
            return None
        try:
            return date(self.year, self.month, self.day)
        except ValueError:
            return None


class WrittenDate:
    """A date as written in a text. `day_first`: `03/04/2021` is the third of April."""

    def __init__(self, text: str, *, day_first: bool = False) -> None:
        self._text = text
        self._day_first = day_first
        match = next((m for p in _PATTERNS if (m := p.search(text))), None)
        self._match = match if match and _is_rest_of_date(text, match) else None

    @cached_property
    def named(self) -> Day | None:
        """The date that the text names, `None` where it cannot be read."""
        if self._match is None:
            return None
        groups = self._match.groupdict()
        month, day = self._month(), _number(groups.get("d"))
        if groups.get("a"):
            first, second = int(groups["a"]), int(groups["b"])
            day_first = self._day_first or first > 12 or groups["sep"].startswith(".")
            day_first = day_first and second <= 12
            day, month = (first, second) if day_first else (second, first)
            if month > _MONTHS_A_YEAR:
                return None
        if groups.get("y") and _full_year(groups["y"]) is None:
            return None
        named = Day(_full_year(groups.get("y")), month, day)
        is_full = None not in (named.year, named.month, named.day)
        return None if is_full and named.as_date() is None else named  # no 31 April

    @cached_property
    def is_ambiguous(self) -> bool:
        """Whether day and month could also be read the other way round: `03/04/2021`."""
        groups = self._match.groupdict() if self._match else {}
        if not groups.get("a") or self._day_first or groups["sep"].startswith("."):
            return False
        return (
            groups["a"] != groups["b"] and max(int(groups["a"]), int(groups["b"])) <= _MONTHS_A_YEAR
        )

    @property
    def around(self) -> tuple[str, str]:
        """The text before and after the date; empty strings where it cannot be read."""
        if self._match is None:
            return "", ""
        return self._text[: self._match.start()], self._text[self._match.end() :]

    @property
    def month_as_written(self) -> str | None:
        """The month as the text names it, in a word; `None` for one in figures."""
        written = self._match.groupdict().get("mon") if self._match else None
        return written.rstrip(".") if written else None

    def shifted(self, days: int) -> str | None:
        """Return the text with its date moved, in its own notation; `None` if it cannot be read.

        A date without a day moves by whole months, one without a month by whole years: the number
        nearest to `days`, at least one. Names of weekdays move, too.
        """
        new = self._moved(days)
        if new is None or self._match is None:
            return None
        spans = sorted(self._written(new), reverse=True)
        text = self._text
        for start, end, written in spans:
            text = text[:start] + written + text[end:]
        exact = self.named is not None and self.named.day is not None
        return shift_weekdays(text, days) if exact else text

    def _month(self) -> int | None:
        if self._match is None:
            return None
        groups = self._match.groupdict()
        if groups.get("mon"):
            return _MONTH_OF[groups["mon"].lower()][1] + 1
        return _number(groups.get("m"))

    def _moved(self, days: int) -> Day | None:
        named = self.named
        if named is None:
            return None
        if named.month is None:
            years = _whole(days, _DAYS_A_YEAR)
            return Day((named.year or 0) + years, None, None)
        if named.day is None:
            months = (named.year or _NO_YEAR) * 12 + named.month - 1 + _whole(days, _DAYS_A_MONTH)
            return Day(named.year and months // 12, months % 12 + 1, None)
        try:
            new = date(named.year or _NO_YEAR, named.month, named.day) + timedelta(days=days)
        except (ValueError, OverflowError):
            return None
        return Day(named.year and new.year, new.month, new.day)

    def _written(self, new: Day) -> list[tuple[int, int, str]]:
        """Return the replacements: each part in the style of the old one."""
        match, groups = self._match, self._match.groupdict() if self._match else {}
        if match is None:
            return []
        parts: dict[str, int | None] = {"y": new.year, "m": new.month, "d": new.day}
        if groups.get("a"):
            day_first = self.named is not None and self.named.day == int(groups["a"])
            day_first = (
                day_first and self.named is not None and self.named.month == int(groups["b"])
            )
            parts |= dict(zip("ab" if day_first else "ba", (new.day, new.month), strict=True))
        found = [
            (*match.span(name), _in_style(groups[name], number, padded="sep" in groups))
            for name, number in parts.items()
            if groups.get(name) and number is not None
        ]
        if groups.get("mon") and new.month:
            found.append((*match.span("mon"), _month_in_style(groups["mon"], new.month)))
        if groups.get("ord") and new.day:
            found.append((*match.span("ord"), _ordinal(new.day)))
        return found


def shift_weekdays(text: str, days: int) -> str:
    """Return a text with its names of weekdays moved by `days`."""

    def other(match: re.Match[str]) -> str:
        row, place = _WEEKDAY_OF[match.group().lower()]
        return _cased(match.group(), _WEEKDAYS[row].split()[(place + days) % 7])

    return _WEEKDAY.sub(other, text)


def reads_day_first(text: str) -> bool:
    """Return whether a document writes dates in figures with the day first; default: month first.

    Decided by its dates with only one reading, and by full stops between figures.
    """
    day_first = len(re.findall(r"(?<!\d)(?:1[3-9]|2\d|3[01])[-/]\d{1,2}[-/]\d{2}", text))
    day_first += len(re.findall(r"(?<!\d)\d{1,2}\.\d{1,2}\.\d{2}", text))
    month_first = len(re.findall(r"(?<!\d)\d{1,2}[-/](?:1[3-9]|2\d|3[01])[-/]\d{2}", text))
    return day_first > month_first


def _number(text: str | None) -> int | None:
    return int(text) if text else None


def _full_year(text: str | None) -> int | None:
    if text is None or len(text) > 2:
        return _number(text)
    if _FUTURE <= int(text) < _PIVOT:
        return None
    return int(text) + (2000 if int(text) < _PIVOT else 1900)


def _whole(days: int, length: float) -> int:
    """Return the nearest number of whole units to a shift, at least one in its direction."""
    return round(days / length) or (1 if days > 0 else -1)


def _is_rest_of_date(text: str, match: re.Match[str]) -> bool:
    """Return whether the text around a match is a time of day or words of a date, nothing else."""
    rest = _CLOCK.sub(" ", f"{text[: match.start()]} | {text[match.end() :]}")
    words = (word.lower() for word in _WORD.findall(_WEEKDAY.sub(" ", rest)))
    return not any(c.isdigit() for c in rest) and all(word in _WORDS_OF_DATES for word in words)


def _in_style(old: str, new: int, *, padded: bool) -> str:
    """Return a number with the leading zero of the old one, or as two digits of a year."""
    if len(old) == 2 and new > 99:
        return f"{new % 100:02d}"
    return f"{new:0{len(old)}d}" if padded or old.startswith("0") else str(new)


def _month_in_style(old: str, month: int) -> str:
    row, _ = _MONTH_OF[old.lower()]
    return _cased(old, _MONTH_ROWS[row].split()[month - 1])


def _cased(old: str, new: str) -> str:
    if old.isupper():
        return new.upper()
    return new.capitalize() if old[0].isupper() else new


def _ordinal(day: int) -> str:
    if 11 <= day <= 13:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
