"""Questions that count, list or compare over records. One record does not answer them. English."""

from __future__ import annotations

import re

from sage_rag.common.stems import stem
from sage_rag.privacy.lookup import codes_of
from sage_rag.privacy.tokens import TOKEN, tokens_in

_CANNOT = "I answer from one record at a time, and cannot count, list or compare records."
ONE_RECORD = f"{_CANNOT} One record says:"
"""Precedes what is quoted for such a question."""
NO_COUNT = f"{_CANNOT} Ask me about one of them."
"""The answer where nothing is quoted."""
_SUBJECTS = (
    "patients|clients|customers|tenants|members|employees|students|pupils|residents|users|subjects"
)
_RECORDS = (
    "records|documents|files|cases|reports|e-?mails|mails|letters|messages|entries|notes|dialogues"
    "|judge?ments|incidents|accidents|complaints|applications|visits|appointments|invoices|orders"
)
_ANY = rf"(?:{_SUBJECTS}|{_RECORDS})\b"
_FEW_WORDS = r"(?:[^\W\d_]+[ ]){0,2}?"
_HOW_MANY = re.compile(rf"\bhow many (?:of )?{_FEW_WORDS}(?P<noun>{_ANY})", re.IGNORECASE)
_LISTS = re.compile(
    rf"\b(?:list|name|show|give|find|count|summari[sz]e)\b[^.?!]{{0,20}}\b(?:all|every|each)\b"
    rf"[ ](?:of )?{_FEW_WORDS}{_ANY}"
    rf"|\bcount (?:the )?{_FEW_WORDS}{_ANY}"
    rf"|\bwhich (?:of (?:the|our|your|my) )?(?:{_SUBJECTS}|records|documents|files)\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(r"\A\W*(?:(?:please|can you|could you)[ ,]+)*compare\b", re.IGNORECASE)
_SUMS = re.compile(
    rf"\b(?:average|mean(?= (?:age|cost|delay|number|price|rent|value)\b)|median|total)\b"
    rf"|\b(?:who|which (?:{_SUBJECTS}|{_RECORDS}|[^\W\d_]+)) [^?]{{0,60}}?\b(?:most|least|highest"
    r"|lowest|oldest|youngest|largest|biggest|smallest|cheapest)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_SUBJECT = re.compile(_SUBJECTS, re.IGNORECASE)
_HIDDEN_COUNT = "QUANTITY_["
"""A token that may hold the noun, too: "57 letters"."""
_COUNTED = (
    r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty"
    r"|forty|fifty|hundred|no|several)\b|(?:AGE|QUANTITY|DATE_TIME)_\[[^\]]*\])"
)


def asks_over_records(question: str, quoted: str = "", *, narrowed: bool = False) -> bool:
    """Return whether a question counts, lists or compares over records.

    `quoted`: what an answer quotes; empty if nothing was found. A record that states the number,
    the total or the most itself answers: "nine complaints", "the total rent". A sum for someone or
    something that is named, or that follows other questions (`narrowed`), can be in one record. A
    sum of which nothing was found may be of no
    record ("which planet has the most moons?").
    """
    if (many := _HOW_MANY.search(question)) is not None:
        noun = many["noun"]
        if _HIDDEN_COUNT in quoted and not _SUBJECT.fullmatch(noun):
            return False
        stated = rf"{_COUNTED}\W{{0,3}}{_FEW_WORDS}{noun[:-1]}"
        return not re.search(stated, quoted, re.IGNORECASE)
    if _LISTS.search(question):
        return True
    marks = set(tokens_in(question))
    if _COMPARES.search(question):
        return len(marks | codes_of(TOKEN.sub(" ", question))) > 1
    if marks or narrowed or not quoted or (asked := _SUMS.search(question)) is None:
        return False
    *_, kind = _WORD.findall(asked.group())
    return stem(kind.casefold()) not in {stem(word.casefold()) for word in _WORD.findall(quoted)}
