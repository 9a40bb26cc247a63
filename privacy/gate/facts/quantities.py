"""Numbers of a sentence with their units, comparators and frequencies, in base units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from sage_rag.privacy.english import MONTHS, ONES, TENS, WEEKDAYS
from sage_rag.privacy.gate.facts.words import word_lists

_BELOW_100 = dict(zip((*ONES, *TENS), (*range(20), *range(20, 100, 10)), strict=True))
_LARGE = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_ORDINALS = {
    "first": 1, "second": 2,
    **dict(zip("third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),
               range(3, 13), strict=True)),
    "twentieth": 20, "thirtieth": 30,
}  # fmt: skip
_SPECIAL = {"half": Fraction(1, 2), "dozen": Fraction(12), "noon": Fraction(12)}
_WORDS = "|".join([*_BELOW_100, *_LARGE])
_AND = r"(?:(?<=hundred)|(?<=thousand)|(?<=million))[ ]and[ ]"
_WORDED = rf"(?:{_WORDS})(?:(?:[ -]|{_AND})(?:{_WORDS}))*"
_FIGURE = (
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?=(?:st|nd|rd|th)\b)|\d+(?::\d\d)+|\d+(?:\.\d+)?"
)
_NUMBER = re.compile(
    rf"(?<![\w.])(?:{_FIGURE}|(?:{_WORDED}|{'|'.join(_ORDINALS)}|{'|'.join(_SPECIAL)})(?![\w]))"
)
_LENGTH = "(?:day|week|month|year|hour|minute|fortnight)"
_ARTICLE = re.compile(
    rf"(?:(?<=\bfor )|(?<=\bwithin )|(?<=\bafter ))an?(?= {_LENGTH}\b)"
    rf"|\ban?(?= {_LENGTH} (?:before|earlier|later|ago|after)\b)"
)
"""An article that means the number one: "for a week", "a day earlier"."""
_MONTH = "|".join(MONTHS)
_DATED = re.compile(rf"(?:st|nd|rd|th)?[ ](?:of[ ])?({_MONTH})\b")
_DATED_BEFORE = re.compile(rf"\b({_MONTH})[ ](?:the[ ])?\Z")
_SCALE = re.compile(r"[ ]?(hundred|thousand|million|billion|k|m|bn)\b")
_SCALED = re.compile(r"\d[ ]?[a-z]+\Z")
_RANGE = re.compile(r"[ ]?(?:-|–|to|or|and|up to|down to|&)[ ]?\Z")
_N = rf"(?:\d+(?:\.\d+)?|{'|'.join(ONES[1:13])})"
_PERIODS = {
    "hour": Fraction(1), "day": Fraction(24), "night": Fraction(24), "morning": Fraction(24),
    "evening": Fraction(24), "afternoon": Fraction(24), "bedtime": Fraction(24),
    "week": Fraction(168), "fortnight": Fraction(336), "month": Fraction(730),
    "quarter": Fraction(2190), "year": Fraction(8760),
}  # fmt: skip
_PERIODS |= dict.fromkeys((*WEEKDAYS, "weekday", "workday"), Fraction(168))
_PERIOD = rf"(?:{'|'.join(_PERIODS)})"
_ADVERBS = {
    "hourly": (1, "hour"), "daily": (1, "day"), "nightly": (1, "day"), "weekly": (1, "week"),
    "fortnightly": (1, "fortnight"), "monthly": (1, "month"), "quarterly": (1, "quarter"),
    "yearly": (1, "year"), "annually": (1, "year"), "od": (1, "day"), "bd": (2, "day"),
    "bid": (2, "day"), "tds": (3, "day"), "tid": (3, "day"), "qds": (4, "day"), "qid": (4, "day"),
}  # fmt: skip
_TIMES = (
    rf"(?:(?P<n>{_N})(?:[ ]?(?:-|–|to|or)[ ]?(?P<m>{_N}))?[ -]times|(?P<word>once|twice|thrice)|x"
    rf"(?P<x>\d))"
)
_PER = rf"[ ]?(?:(?:in[ ])?an?|per|each|every|/)[ ]?(?P<period>{_PERIOD})s?"
_NO_LENGTH = "".join(
    rf"(?<!\b{word} )"
    for word in (
        "for in of after within than about over during took take takes lasts lasted last is was"
        " just only half until with to by and or such on as nearly almost quite at spent roughly"
        " approximately maybe a the from before not what had have around every least"
    ).split()
)
"""Words before "a day" that make it a length of time."""
_FREQUENCY = re.compile(
    rf"\b(?:{_TIMES}[ ]?(?:{_PER}|(?P<adverb>{'|'.join(_ADVERBS)}))"
    rf"|(?:every|each)[ ](?P<other>other|second|alternate)[ ](?P<other_period>{_PERIOD})s?"
    rf"|alternate[ ](?P<alternate>{_PERIOD})s?"
    rf"|every[ ](?P<k>{_N})(?:[ ]?(?:-|–|to|or)[ ]?(?P<l>{_N}))?[ -](?P<k_period>{_PERIOD})s?"
    rf"|(?P<q>{_N})(?:[ ]?(?:-|–|to|or)[ ]?(?P<r>{_N}))?[ -]hourly"
    rf"|(?:every|each|per)[ ](?P<each_period>{_PERIOD})"
    rf"|(?<=[a-z0-9] ){_NO_LENGTH}an?[ ](?P<a_period>day|night|week|month|year)\b"
    r"(?![ -](?:ago|later|before|earlier|after|old|or[ ]two|off|trip|long|away|early|from|at[ ]a))"
    rf"|(?P<bare>{'|'.join(_ADVERBS)})(?![ ](?:life|activit|living|news)))\b"
)
_LETTERS = re.compile(r"[a-z]+")
_NUMBER_WORDS = {*_BELOW_100, *_LARGE, *_ORDINALS, *_SPECIAL}
_RATE_WORDS = {*_PERIODS, *(f"{period}s" for period in _PERIODS), *_ADVERBS}
_TIMES_WORDS = {"once": 1, "twice": 2, "thrice": 3}
_BETWEEN = (
    r"(?:(?<=half )an?[ ]|(?:more|further|full|whole|consecutive|additional|other|long|working"
    r"|business|calendar|successive|extra|entire|complete|straight)[ ])?"
)
_UNIT = re.compile(
    rf"[ -]?(?:(?:st|nd|rd|th)[ ])?{_BETWEEN}(?P<unit>per[ ]cent|[%°$€£]\w?|[^\W\d_]+)"
)
_UNIT_BEFORE = re.compile(r"\b(day|week|month|year)s?[ ]\Z")
_CURRENCY_BEFORE = re.compile(r"(us\$|[$€£]|\b(?:usd|eur|gbp|chf))[ ]?\Z")
_PER_UNIT = re.compile(
    r"[ ]?(?:/|per[ ])[ ]?(kg|kilogram|kilo|litre|liter|l|dl|ml|nl|min|hour|m2)\b"
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in base units at `[start, end)`: `unit` is the dimension, or empty.

    A frequency has the unit `frequency`, and its values are events per hour. `written`: the number
    as the text has it, without a factor.
    """

    low: Fraction
    high: Fraction
    unit: str
    start: int
    end: int
    written: Fraction = Fraction(-1)

    @property
    def value(self) -> tuple[Fraction, Fraction, str]:
        """The number without its place."""
        return self.low, self.high, self.unit


def read_quantities(text: str) -> list[Quantity]:
    """Return the frequencies and other numbers of a sentence in lower case, in order."""
    words = set(_LETTERS.findall(text))
    found: list[Quantity] = []
    if not words.isdisjoint(_RATE_WORDS):
        found += [_frequency(match) for match in _FREQUENCY.finditer(text)]
    taken = [(q.start, q.end) for q in found]
    matches: list[re.Match[str]] = []
    if any(map(str.isdigit, text)) or not words.isdisjoint(_NUMBER_WORDS):
        matches += _NUMBER.finditer(text)
    if not words.isdisjoint({"a", "an"}):
        matches += _ARTICLE.finditer(text)
    numbers = [
        match
        for match in sorted(matches, key=lambda m: m.start())
        if not any(a < match.end() and match.start() < b for a, b in taken)
    ]
    found += _with_units(text, numbers)
    return sorted(found, key=lambda q: q.start)


def _with_units(text: str, numbers: list[re.Match[str]]) -> Iterator[Quantity]:
    """Yield numbers with their units; in "2 to 3 mg" the first one has the unit of the second."""
    unit, factor, next_start = "", Fraction(1), -1
    for match in reversed(numbers):
        if match.group() in _LARGE and _SCALED.search(text, 0, match.end()):
            continue
        value = _value(match.group())
        end = match.end()
        if (scale := _SCALE.match(text, end)) and match.group()[-1].isdigit():
            value *= {"k": 1000, "m": 10**6, "bn": 10**9}.get(scale[1]) or _LARGE[scale[1]]
            end = scale.end()
        own = _unit(text, match.start(), end)
        if own[0] or not (next_start >= 0 and _RANGE.fullmatch(text[end:next_start])):
            unit, factor, end = own
        next_start = match.start()
        if match.group() in ("one", "first", "second") and not unit:
            continue  # "one" is a pronoun as often as a number; an ordinal names a thing
        yield Quantity(value * factor, value * factor, unit, match.start(), end, value)


def _value(written: str) -> Fraction:
    if written in ("a", "an"):
        return Fraction(1)
    if written in _SPECIAL:
        return _SPECIAL[written]
    if written in _ORDINALS:
        return Fraction(_ORDINALS[written])
    if written[0].isdigit():
        if ":" in written:
            parts = written.split(":")
            return Fraction(int(parts[0])) + Fraction(int(parts[1]), 60)
        return Fraction(written.replace(",", ""))
    total = current = 0
    for word in re.split(r"[ -]", written):
        if word in _LARGE:
            current = max(current, 1) * _LARGE[word]
            if _LARGE[word] > 100:
                total, current = total + current, 0
        else:
            current += _BELOW_100.get(word, 0)
    return Fraction(total + current)


def _unit(text: str, start: int, end: int) -> tuple[str, Fraction, int]:
    """Return the dimension, the factor, and the end of the unit of a number at `[start, end)`."""
    if before := _CURRENCY_BEFORE.search(text, max(0, start - 5), start):
        return *_units()[before[1]], end
    dated = _DATED.match(text, end) or _DATED_BEFORE.search(text, max(0, start - 14), start)
    if dated and text[start].isdigit():
        return dated[1], Fraction(1), max(end, dated.end())
    match = _UNIT.match(text, end)
    known = _units().get(match["unit"]) if match else None
    if match is None or known is None:
        before = _UNIT_BEFORE.search(text, max(0, start - 7), start)
        return (*_units()[before[1]], end) if before else ("", Fraction(1), end)
    unit, factor = known
    per = _PER_UNIT.match(text, match.end())
    if per and unit in ("milligram", "unit", "millilitre"):
        return f"{unit}/{per[1]}", factor, per.end()
    return unit, factor, match.end()


def _frequency(match: re.Match[str]) -> Quantity:
    found = match.groupdict()
    if period := found["each_period"] or found["a_period"]:
        low = high = 1 / _PERIODS[period]
    elif period := found["other_period"] or found["alternate"]:
        low = high = 1 / (2 * _PERIODS[period])
    elif found["k"]:
        length = _PERIODS[found["k_period"]]
        low, high = _rates(found["k"], found["l"], length)
    elif found["q"]:
        low, high = _rates(found["q"], found["r"], Fraction(1))
    else:
        count, period = _ADVERBS.get(found["bare"] or found["adverb"] or "", (1, ""))
        rate = count / _PERIODS[period or found["period"]]
        first = found["n"] or found["x"] or str(_TIMES_WORDS.get(found["word"] or "", 1))
        low, high = _value(first) * rate, _value(found["m"] or first) * rate
    return Quantity(low, high, "frequency", *match.span())


def _rates(fewest: str, most: str | None, period: Fraction) -> tuple[Fraction, Fraction]:
    """Return the rates of "every 4 to 6 hours", the lower one first."""
    long, short = _value(most or fewest) * period, _value(fewest) * period
    return 1 / max(long, period / 60), 1 / max(short, period / 60)


@cache
def _units() -> Mapping[str, tuple[str, Fraction]]:
    table: Mapping[str, str] = word_lists()["units"]
    return {
        word.strip(): (dimension, Fraction(factor))
        for dimension, listed in table.items()
        for word, factor in (entry.rsplit(" ", 1) for entry in listed.replace("\n", " ").split(","))
    }
