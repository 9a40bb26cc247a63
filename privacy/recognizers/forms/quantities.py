"""Patterns of sums of money and of measures of a person or a thing, in figures and in words.

Doses, laboratory values and durations are left out: they describe a treatment, not a person, and a
medical corpus is useless without them.
"""

from __future__ import annotations

import re

from sage_rag.privacy.english import ONES, TENS
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.patterns import Anchor, pattern

_CODES = (
    r"USD|EUR|GBP|CHF|JPY|CNY|RMB|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|PLZ|CZK|SKK|HUF|RON|BGN|HRK|RSD"
    r"|TRL|TRY|RUB|RUR|UAH|ILS|ZAR|BRL|MXN|ARS|CLP|COP|KRW|SGD|HKD|TWD|THB|MYR|IDR|PHP|AED|SAR|EGP"
    r"|NGN|KES|PKR|BDT|LKR|ATS|DEM|FRF|ITL|ESP|NLG|BEF|FIM|IEP|PTE|GRD|LUF|SIT|EEK|LVL|LTL|CYP|MTL"
    r"|GEL|MDL|AMD|AZN|ALL|MKD|BAM|ISK|ECU|BTC|ETH"
)
"""Source: ISO 4217, current and former codes of the countries whose texts are at hand."""
_NAMES = (
    r"(?:US |Australian |Canadian |Hong Kong )?dollars?|euros?|pounds? sterling|pounds(?= \()|pence"
    r"|cents?|yen|yuan|renminbi|rupees?|francs?|roubles?|rubles?|kronor|kroner|kronur?|crowns?"
    r"|zlot(?:y|ys|ych|ies)|forints?|lira|liras|lire|schillings?|(?:German )?marks|pesetas?|pesos?"
    r"|reais|reals?|guilders?|escudos?|drachmas?|koruna?s?|lei|leva?|hryvnias?|shekels?|rand|won"
    r"|baht|ringgit|dirhams?|riyals?|naira|shillings?|bucks|quid"
)
_FIGURE = r"\d{1,3}(?:[,. \u00a0'’]\d{3}){1,6}(?:[.,]\d{1,2})?|\d{1,12}(?:[.,]\d{1,2})?"
_LARGE = (
    r"(?:[ \u00a0-]?(?:thousand|million|billion|trillion|hundred|lakhs?|crores?|mln|bn|m|k)\b)?"
)
_NUMBER_WORD = "|".join((*ONES[1:], *TENS, "hundred", "thousand", "million", "billion"))
_WORDED = rf"(?:a[ ]|(?:{_NUMBER_WORD}))(?:(?:[ -]|[ ]and[ ])?(?:{_NUMBER_WORD})){{0,8}}"
_ABOUT = r"(?:(?:approximately|about|around|some|nearly|roughly)[ ])?"
_MEASURE = (
    r"kg|kgs|kilos?|kilograms?|lbs?|pounds|stones?|cm|centimet(?:re|er)s?|metres?|meters?|km"
    r"|kilomet(?:re|er)s?|miles?|feet|foot|ft|inch(?:es)?|acres?|hectares?|ha|sq\.? ?(?:m|ft|km)"
    r"|m²|m2|square (?:met(?:re|er)s|feet|miles|kilomet(?:re|er)s)|cubic met(?:re|er)s"
    r"|lit(?:re|er)s?"
    r"|gallons?|tons?|tonnes?"
)
_CLOTTING = r"INR[ \u00a0]?\d(?:\.\d)?(?!\d|[.,]\d)"
"""The ratio of a blood test, and no Indian rupees: `INR 2.8`."""
_NOT_INSIDE = r"(?<![\w.,/$€£¥-])"

_CURRENCY_PARTS = (
    *("ollar", "euro", "Euro", "sterling", "pounds", "pence", "cents", "yen", "yuan", "renminbi"),
    *("upee", "franc", "Franc", "ouble", "uble", "kron", "crown", "zlot", "orint", "lira", "lire"),
    *("chilling", "hilling", "marks", "eseta", "peso", "Peso", "reais", "guilder", "rachma"),
    *("baht", "naira", "irham", "iyal", "hekel", " rand", "quid", "bucks"),
)

QUANTITIES = (
    pattern(
        EntityType.QUANTITY,
        r"(?<!\w)(?:(?:US|A|C|NZ|HK|S|R)?[$]|[€£¥₹₽₺₩₪₴₫])"
        rf"[ \u00a0]?(?:{_FIGURE})(?!\d){_LARGE}"
        rf"(?:[ ]?\((?:{_CODES})\))?",
        0.8,
        needs="$€£¥₹₽₺₩₪₴₫",
    ),
    pattern(
        EntityType.QUANTITY,
        rf"\b(?!{_CLOTTING}){_ABOUT}(?:{_CODES}|Rs\.?|Fr\.|DM|kr\.?)[ \u00a0]?(?:{_FIGURE})"
        rf"(?![\d/]){_LARGE}(?![^\W_])",
        0.8,
        anchor=Anchor(re.compile(r"[A-Za-z.][ \u00a0]?\d"), before=24, after=40),
    ),
    pattern(
        EntityType.QUANTITY,
        rf"{_NOT_INSIDE}(?=[\darns]){_ABOUT}(?:{_FIGURE}){_LARGE}[ \u00a0]?"
        rf"(?:(?:[A-Z][a-z]{{3,12}}[ ])?"
        rf"(?:(?i:{_NAMES})\b|(?:{_CODES})\b|[€£¥₹₽₺₩₪])(?:[ ]?\((?:{_CODES})\))?|%|percent\b"
        r"|per[ ]cent\b)",
        0.8,
    ),
    pattern(
        EntityType.QUANTITY,
        rf"\b{_WORDED}[ ](?:[A-Z][a-z]{{3,12}}[ ])?(?:{_NAMES})\b(?:[ ]?\((?:{_CODES})\))?",
        0.75,
        ignore_case=True,
        needs=_CURRENCY_PARTS,
    ),
    pattern(
        EntityType.QUANTITY, rf"{_NOT_INSIDE}(?:{_FIGURE})[ \u00a0-]?(?:{_MEASURE})(?![\w²/])", 0.6
    ),
    pattern(
        EntityType.QUANTITY,
        r"(?<![\w.,/'’])[3-7]['’′][ ]?(?:1[01]|\d)(?:[\"”″]|['’]{2})?(?!\w)",
        0.6,
        needs="'’′",
    ),
)
