"""Patterns of postal addresses: streets with numbers, post boxes, postcodes."""

from __future__ import annotations

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.patterns import pattern

_STREET = (
    r"Street|Road|Avenue|Lane|Drive|Court|Close|Place|Boulevard|Way|Terrace|Crescent|Square|Row"
    r"|Mews|Loan|Parkway|Pkwy|Highway|Hwy|Circle|Trail|Gardens|Grove|Hill|Walk|Quay|Wharf|Rise"
    r"|View|Parade|Esplanade|Alley|Turnpike|Wynd|Brae|Vale|Park|Green|Heights|Bypass|Broadway"
)
_SHORT = r"St|Rd|Ave|Av|Ln|Dr|Ct|Cl|Pl|Blvd|Ter|Cres|Sq|Cir|Trl|Gdns|Hts"
_WORD = r"[^\W\d_a-z][\w'’.-]{0,30}"
_NO_PLACE = (
    r"(?!(?:I|My|Please|Thanks?|Call|But|And|She|He|We|Tel|Phone|Mobile|Dear|Regards|Dr|Mr|Mrs|Ms"
    r"|The|This|It|Is|You|Email|Fax|Can|What|Cell|Home|Work|So|If|When|Kind|Best|Yours|DOB|MRN)\b)"
)
_CITY_WORD = r"[^\W\d_a-z][\w'’-]{0,30}"
_CITY = rf"{_NO_PLACE}{_CITY_WORD}(?:[ -]{_NO_PLACE}{_CITY_WORD}){{0,2}}"
_ZIP = r"(?:[A-Z]{2}[ ]\d{5}(?:-\d{4})?|\d{4,6}(?:-\d{3,4})?|[A-Z]{1,2}\d[A-Z\d]?[ ]\d[A-Z]{2})"
_UNIT = r"(?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Room|Rm|No|\#)\.?[ ]?\#?\w{1,6}"
_TAIL = (
    rf"(?:,?\s{{1,2}}{_UNIT}\b)?(?:,[ ]{_ZIP}\b(?:[ ]{_CITY})?)?(?:,\s?{_CITY}(?:,?[ ]{_ZIP}\b)?"
    rf"(?:,[ ][A-Z]{{2}}\b(?:[ ]\d{{5}}(?:-\d{{4}})?\b)?)?)?"
)
_NUMBER = r"\d{1,5}[A-Za-z]?(?:[/-]\d{1,4}[A-Za-z]?)?"
_GERMANIC = (
    r"[^\W\d_a-z][^\W\d_]{1,30}(?:straße|strasse|str\.|weg|gasse|platz|allee|ring|damm|ufer|hagen"
    r"|gatan|gata|gaten|vägen|vegen|gade|vej|veien|stigen|siel|laan|straat|kade|plein|gracht|dijk"
    r"|singel|katu|viken|markt|brücke|steig|stieg)"
)
_LEADING = (
    r"(?:[Uu]l\.|[Uu]lica|[Aa]l\.|[Oo]s\.|[Vv]ia|[Vv]iale|[Pp]iazza|[Cc]orso|[Vv]icolo|[Rr]ue"
    r"|[Aa]venue|[Bb]oulevard|[Pp]lace|[Cc]hemin|[Aa]llée|[Rr]ua|[Aa]venida|[Aa]v\.|[Cc]alle"
    r"|[Cc]arrera|[Cc]ra\.|[Pp]laza|[Pp]raça|[Ll]argo|[Tt]ravessa|[Pp]aseo|[Cc]amino|[Ss]trada"
    r"|[Ss]tr\.|[Jj]alan|[Jj]l\.|[Oo]dos)"
)
_LEADING_WORDS = tuple(
    f"{first}{word[1:]} "
    for word in (
        "ul. ulica al. os. via viale piazza corso vicolo rue avenue boulevard place chemin allée"
        " rua avenida av. calle carrera cra. plaza praça largo travessa paseo camino strada str."
        " jalan jl. odos"
    ).split()
    for first in (word[0], word[0].upper())
)
"""A cheap test before the expression."""
_INNER = (
    r"(?:(?:de|del|della|dei|degli|delle|di|da|do|dos|das|du|des|la|le|les|l['’]|d['’]|el|los"
    r"|las)[ ]?){0,2}"
)

ADDRESSES = (
    pattern(
        EntityType.LOCATION,
        rf"(?<![\w.,/-])(?:(?:Flat|Apt\.?|Apartment|Unit|Suite|Room)[ ]\w{{1,5}},?[ ])?{_NUMBER}"
        rf",?[ ](?:{_WORD}[ ]){{1,4}}?(?:(?:{_STREET})\b|(?:{_SHORT})\b\.?){_TAIL}",
        0.85,
        needs=(*_STREET.split("|"), *_SHORT.split("|")),
    ),
    pattern(
        EntityType.LOCATION,
        r"(?<![\w.,/-])\d{1,5}[A-Za-z]?,?[ ](?:[a-z'-]{2,20}[ ]){1,3}?"
        r"(?:street|road|avenue|lane|boulevard|crescent|terrace|mews)\b",
        0.7,
        needs=("street", "road", "avenue", "lane", "boulevard", "crescent", "terrace", "mews"),
    ),
    pattern(
        EntityType.LOCATION,
        rf"\b(?!During|Spring|String){_GERMANIC}[ ](?!(?:19|20)\d\d\b){_NUMBER}(?![\w%]"
        rf"|[.,]\d){_TAIL}",
        0.85,
    ),
    pattern(
        EntityType.LOCATION,
        rf"\b(?:\d{{1,4}},?[ ])?{_LEADING}[ ]{_INNER}(?:{_WORD}[ ]{_INNER}){{0,4}}?"
        rf"{_WORD},?[ ](?:nº?[ ]|no\.?[ ])?{_NUMBER}(?![\w%]|[.,]\d){_TAIL}",
        0.8,
        needs=_LEADING_WORDS,
    ),
    pattern(
        EntityType.LOCATION,
        rf"(?<![\w.,/-])\d{{1,4}}(?:[ ](?:bis|ter))?,?[ ](?:[Rr]ue|[Bb]oulevard|[Aa]venue"
        rf"|[Cc]hemin|[Pp]lace)[ ]{_INNER}{_WORD}(?:[ ]{_INNER}{_WORD}){{0,3}}{_TAIL}",
        0.8,
    ),
    pattern(
        EntityType.LOCATION,
        rf"\b(?:{_WORD}[ ]){{1,3}}(?:Sokağı|Sokak|Sok\.|Caddesi|Cad\.|Mahallesi|utca|u\.|út"
        rf"|tee|tn)[ ]?(?:No:?[ ]?)?{_NUMBER}(?![\w%]){_TAIL}",
        0.8,
        needs=("Sok", "Cad", "Mahallesi", "utca", "u.", "út", "tee", "tn"),
    ),
    pattern(
        EntityType.LOCATION,
        rf"\b(?:Am|An[ ]der|Auf[ ]de[rm]|Im|In[ ]der|Zum|Zur|Unter[ ]den|Hinter[ ]dem)[ ]{_WORD}"
        rf"[ ]\d{{1,4}}[a-z]?,[ ](?:\d{{4,5}}[ ])?{_CITY}",
        0.8,
    ),
    pattern(
        EntityType.LOCATION,
        rf"\b(?!(?:The|On|At|In|To|From|And)\b)(?:{_WORD}[ ]){{1,3}}?"
        r"(?:Street|Road|Avenue|Lane|Boulevard|Terrace|Crescent|Mews|Parkway)\b(?![ ][A-Z])",
        0.6,
        needs=_STREET.split("|"),
    ),
    pattern(
        EntityType.LOCATION,
        r"\b(?:P\.?[ ]?O\.?[ ]?Box|Post(?:fach|box|[ ]office[ ]box)|PSC|Unit|Box)[ ]\d{1,6}"
        r"(?:,?[ ]Box[ ]\d{1,6})?(?:[\s,]{1,3}(?:APO|FPO|DPO)[ ]A[AEP][ ]\d{5})?\b",
        0.8,
        ignore_case=True,
        needs=("box", "Box", "BOX", "fach", "PSC", "psc", "nit ", "NIT "),
    ),
    pattern(
        EntityType.LOCATION,
        rf"(?<![\w.,/-])(?:\d{{1,6}}[ ])?(?:{_WORD}[ ]){{1,4}}\d{{1,4}}[A-Za-z]?,?\s{{1,2}}"
        rf"(?:Apt|Apartment|Suite|Ste)\.?[ ]?\#?\w{{1,6}}\b(?:,?\s{{1,2}}{_CITY})?",
        0.8,
        needs=("Apt", "Apartment", "Suite", "Ste"),
    ),
    pattern(EntityType.LOCATION, r"\b(?:Apt|Apartment|Suite)\.?[ ]#?\d{1,5}[A-Z]?\b", 0.7),
    pattern(
        EntityType.LOCATION,
        r"\b[A-Z]{1,2}\d[A-Z\d]?[ ]\d[ABD-HJLNP-UW-Z]{2}\b"
        r"|\b[ABCEGHJ-NPRSTVXY]\d[A-Z][ ]\d[A-Z]\d\b",
        0.7,
    ),
    pattern(
        EntityType.LOCATION,
        r"\b(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA"
        r"|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])[ ]\d{5}(?:-\d{4})?\b",
        0.8,
    ),
    pattern(
        EntityType.LOCATION,
        r"\b(?:zip(?:[ ]?code)?|post(?:al)?[ ]?code|pin[ ]?code|plz)(?:[ ]is|:|[ ]?=)?\s{1,3}"
        r"(?P<value>(?=\w{0,4}\d)[A-Z0-9]{2,6}(?:[ -][A-Z0-9]{2,4})?)\b",
        0.8,
        ignore_case=True,
    ),
)
