"""Dates, times, ages, codes, sums and measures in the forms that people write."""

from __future__ import annotations

from sage_rag.training.recognition.generated.draw import Draw

MONTHS = (
    "January February March April May June July August September October November December"
).split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_ONES = "one two three four five six seven eight nine ten eleven twelve".split()
_TEENS = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def spelled(number: int) -> str:
    """Write a number from 1 to 99 in words."""
    if number < 20:
        return [*_ONES, *_TEENS][number - 1]
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_ONES[ones - 1]}" if ones else "")


def year(draw: Draw) -> str:
    return str(draw.between(1930, 2027))


def month(draw: Draw) -> str:
    return draw.pick(MONTHS)


def weekday(draw: Draw) -> str:
    return draw.pick(DAYS) if draw.chance(0.85) else draw.pick(DAYS)[:3]


def month_year(draw: Draw) -> str:
    """Write a month with its year, or another period of the calendar."""
    y = year(draw)
    if draw.chance(0.75):
        return f"{month(draw)} {y}"
    season = draw.pick(("spring", "summer", "autumn", "winter", "fall"))
    forms = (
        f"the {season} of {y}", f"{season} {y}", f"early {y}", f"late {y}", f"mid-{y}",
        f"the {y[:3]}0s", f"{draw.pick(MONTHS)} of {y}",
        f"the early {y[:3]}0s", f"Q{draw.between(1, 4)} {y}",
    )  # fmt: skip
    return draw.pick(forms)


def date(draw: Draw) -> str:
    """Write a day, with or without its year; half of them as "3 May 1999"."""
    d, m, y = draw.between(1, 28), draw.between(1, 12), draw.between(1930, 2027)
    name = MONTHS[m - 1]
    ending = {1: "st", 21: "st", 2: "nd", 22: "nd", 3: "rd", 23: "rd"}.get(d, "th")
    if draw.chance(0.45):
        return f"{d} {name} {y}"
    forms = (
        f"{name} {d}, {y}", f"{name} {d}, {y}", f"{d}/{m}/{y}", f"{m:02}/{d:02}/{y}",
        f"{y}-{m:02}-{d:02}", f"{d}.{m}.{y}", f"{d:02}.{m:02}.{y}", f"{name} {d}", f"{d} {name}",
        f"{d}{ending} of {name}", f"{name} {d}{ending}", f"{d}{ending} {name} {y}",
        f"the {d}{ending} of {name} {y}", f"{name[:3]} {d} {y}", f"{d}-{name[:3]}-{y % 100:02}",
        f"{m}/{d}/{y % 100:02}", f"{m}/{d}", f"{draw.pick(DAYS)}, {d} {name} {y}",
        f"{draw.pick(DAYS)} {d} {name}", f"{name[:3]}. {d}, {y}", f"{y}/{m:02}/{d:02}",
        f"{d:02}{name[:3].upper()}{y}", f"{y}{m:02}{d:02}",
    )  # fmt: skip
    return draw.pick(forms)


def time(draw: Draw) -> str:
    h, half, m = draw.between(0, 23), draw.between(1, 12), draw.between(0, 59)
    forms = (
        f"{h:02}:{m:02}", f"{half} p.m.", f"{half}.30 a.m.", f"{half}:{m:02} pm", f"{half}pm",
        f"{half} o'clock", f"{h}.{m:02}", f"{h:02}{m:02} hrs", "noon", "midnight",
        f"{half}:{m:02} AM", f"half past {_ONES[half - 1]}",
    )  # fmt: skip
    return draw.pick(forms)


def timestamp(draw: Draw) -> str:
    """Write day and time as in the headers of messages."""
    d, y, h, m = draw.between(1, 28), draw.between(1998, 2027), draw.between(1, 12), month(draw)
    minute, day = draw.between(0, 59), draw.pick(DAYS)
    forms = (
        f"{day}, {m} {d}, {y} {h}:{minute:02} {draw.pick(('AM', 'PM'))}",
        f"{day[:3]}, {d} {m[:3]} {y} {h:02}:{minute:02}:07 +0100",
        f"{d:02}/{draw.between(1, 12):02}/{y} {h + 9:02}:{minute:02}",
        f"{day} {d} {m} {y} at {h + 8:02}:{minute:02}",
    )
    return draw.pick(forms)


def duration(draw: Draw) -> str:
    """Write a duration, such as "three years"."""
    unit = draw.pick(("year", "month", "week", "day", "year", "month", "hour"))
    count = draw.between(1, 20)
    number = spelled(count) if draw.chance(0.6) else str(count)
    return f"{number} {unit}{'s' if count > 1 else ''}"


def long_adjective(draw: Draw) -> str:
    """Write a duration before a noun, such as "two-year"."""
    count = draw.between(2, 30)
    number = spelled(count) if draw.chance(0.6) else str(count)
    return f"{number}-{draw.pick(('year', 'month', 'day', 'week'))}"


def age(draw: Draw) -> str:
    number = draw.between(1, 98) if draw.chance(0.25) else draw.between(18, 88)
    return spelled(number) if draw.chance(0.06) else str(number)


def age_phrase(draw: Draw) -> str:
    """Write an age before a noun or after a verb: "45-year-old", "45 yo"."""
    a = draw.between(2, 95)
    forms = (
        f"{a}-year-old", f"{a}-year-old", f"{a} year old", f"{a} year-old", f"{a} yo", f"{a} y/o",
        f"{spelled(a)}-year-old", f"{draw.between(2, 11)}-month-old", f"{a}yo", f"{a} yr old",
    )  # fmt: skip
    return draw.pick(forms)


def years_old(draw: Draw) -> str:
    """Write an age after a verb: "45 years old", "in his forties"."""
    a = draw.between(2, 95)
    forms = (
        f"{a} years old", f"{a} years old", f"{spelled(a)} years old", f"{a} yrs old",
        f"{draw.between(2, 23)} months old", f"{a} years of age", f"{a}", f"{a} y.o.",
    )  # fmt: skip
    return draw.pick(forms)


def decade_of_life(draw: Draw) -> str:
    decade = draw.between(2, 9)
    half = draw.pick(("", "early ", "mid-", "late "))
    word = _TENS[decade - 2][:-1] + "ies"
    return half + (word if draw.chance(0.6) else f"{decade}0s")


def application_number(draw: Draw) -> str:
    return f"{draw.between(1000, 79999)}/{draw.between(0, 24):02}"


def identifier(draw: Draw) -> str:
    """Write a number or code of a person, case, account or document."""
    d, u = draw.digits, draw.letters
    forms = (
        f"{d(5)}/{d(2)}", f"{u(2)}-{d(6)}", f"MRN-{d(7)}", d(8), d(9), d(6), f"{u(1)}{d(7)}",
        f"{d(2)}-{u(2)}-{d(5)}", f"{d(4)}/{d(4)}", f"{u(3)}{d(3)}{u(2)}", f"K-{d(4)}/{d(2)}",
        f"{d(3)}-{d(2)}-{d(4)}", f"{d(1)}:{d(2)}-cv-{d(5)}", f"II {u(1)} {d(3)}/{d(2)}",
        f"{u(2)}{d(2)} {d(4)} {d(4)} {d(4)} {d(2)}", f"{d(4)} {d(4)} {d(4)} {d(4)}", d(16),
        f"{u(2)} {d(2)} {d(2)} {d(2)} {u(1)}", f"{u(1)}{d(3)}-{d(4)}-{d(4)}", f"#{d(7)}",
        f"{u(2)}{d(2)} {u(3)}", f"{d(3)} {d(3)} {d(4)}", f"{u(4)}-{d(4)}-{u(2)}", d(11),
        f"INV-{draw.between(2009, 2027)}-{d(4)}", f"{d(4)}/{d(2)}-{d(3)}",
    )  # fmt: skip
    return draw.pick(forms)


def money(draw: Draw) -> str:
    n = draw.pick((draw.between(10, 999), draw.between(1, 99) * 100, draw.between(1, 900) * 1000))
    f, small = f"{n:,}", spelled(draw.between(2, 12))
    forms = (
        f"EUR {f}", f"{f} euros", f"${f}", f"£{f}", f"{f} US dollars", f"{f} Turkish liras",
        f"RUB {f}", f"{f} zlotys", f"{small} thousand dollars", f"€{f}", f"{n} euros (EUR)",
        f"${draw.between(1, 9)}.{draw.between(1, 9)} million", f"GBP {f}", f"SEK {f}",
        f"{f} Polish zlotys (PLN)", f"Rs. {f}", f"{n} USD", f"CHF {f}.50", f"{n} bucks",
        f"{small} hundred pounds", f"£{draw.between(1, 90)}k", f"approximately EUR {f}",
    )  # fmt: skip
    return draw.pick(forms)


def judgment_sum(draw: Draw) -> str:
    """Write a sum of a judgment, often with its value in another currency."""
    n, other = draw.between(100, 900_000_000), draw.between(40, 90_000)
    code = draw.pick("EUR GBP TRL TRY YTL PLN SEK ATS DEM RUB HUF CZK ITL FRF CHF UAH SKK".split())
    coin = draw.word("court", "currencies")
    forms = (
        f"{code} {n:,}", f"{code} {other:,}.{n % 90 + 10}", f"{n:,} {coin}",
        f"{n:,} {coin} ({code})", f"{n:,} {coin} ({code} – approximately {other:,} euros (EUR))",
        f"{n:,} {coin} (approximately {other:,} euros (EUR))", f"approximately {code} {other:,}",
        f"{code} {n:,} (approximately {other:,} euros [EUR])", f"{n % 90 + 2} million {coin}",
        f"approximately {code} {n % 90}.{n % 9} million", f"{other:,} {coin} ({code})", money(draw),
    )  # fmt: skip
    return draw.pick(forms)


def head_count(draw: Draw) -> str:
    """Write a number of people or things that a case counts: "seven other persons"."""
    number = spelled(draw.between(2, 90)) if draw.chance(0.7) else str(draw.between(2, 800))
    return f"{number} {draw.word('court', 'counted')}"


def percentage(draw: Draw) -> str:
    n = draw.between(1, 99)
    return draw.pick((f"{n}%", f"{n}.5%", f"{n} percent", f"{n} per cent", f"{n} %"))


def area(draw: Draw) -> str:
    n = draw.between(12, 9000)
    forms = (f"{n} sq. m", f"{n:,} sq. m", f"{n} square metres", f"{n} hectares", f"{n} acres")
    return draw.pick((*forms, f"{spelled(n % 60 + 2)} plots of land", f"{n} sq ft", f"{n} m2"))


def measure(draw: Draw) -> str:
    """Write a share, an area, a speed, a volume, a mass or a distance."""
    n = draw.between(2, 900)
    forms = (
        percentage(draw), area(draw), f"{n} km", f"{n} litres", f"{n} km/h", f"{n} metres",
        f"{n} grams", f"{n} miles", f"{n} tonnes", f"{spelled(n % 90 + 2)} kilograms",
    )  # fmt: skip
    return draw.pick(forms)


def weight(draw: Draw) -> str:
    kilos = draw.between(38, 130)
    forms = (f"{kilos} kg", f"{kilos}kg", f"{kilos * 2} lbs", f"{kilos}.4 kg", f"{kilos} kilos")
    return draw.pick((*forms, f"{kilos * 2} pounds", f"{kilos // 6} stone"))


def height(draw: Draw) -> str:
    cm, inches = draw.between(145, 198), draw.between(0, 11)
    forms = (f"{cm} cm", f"{cm}cm", f"1.{cm - 100} m", f"5 feet {inches} inches", f"5'{inches}\"")
    return draw.pick((*forms, f"5 ft {inches}", f"5.{inches} ft"))


def quantity(draw: Draw) -> str:
    number = draw.between(2, 900)
    return spelled(number % 97 + 2) if draw.chance(0.4) else str(number)
