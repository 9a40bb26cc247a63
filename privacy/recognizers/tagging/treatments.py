"""Find lengths of time that belong to a treatment or to advice, not to a person's history.

"Take it twice daily for ten days" describes a treatment. "For two years now" describes a life, and
with other such facts it identifies the person.
"""

from __future__ import annotations

import re

from sage_rag.privacy.recognizers.tagging.clinical_words import ABBREVIATION, MEDICINE, NUMBER, UNIT

_LENGTH = re.compile(
    rf"(?:(?:for|within|in|after|about|up[ ]to)[ ])*(?:{NUMBER}[ ]?(?:-|–|to|or)[ ]?)?{NUMBER}"
    rf"(?:[ ]or[ ](?:more|so))?[ ]?-?{UNIT}",
    re.IGNORECASE,
)
_DAYS_OR_WEEKS = re.compile(r"(?:day|night|week|wk|fortnight)s?\Z", re.IGNORECASE)
_BORDER = re.compile(r"[.!?;](?=\s|\Z)|\n")
_BEFORE, _AFTER = 90, 40
"""Characters before and after a length of time that may name the treatment."""
_SENTENCE = 400
"""Characters on either side in which the borders of the sentence are searched."""

_AMOUNT = r"\d[ ]?(?:mg|mcg|µg|g|ml|iu|%)(?!\w)|\bcourse(?:[ ]of)?\b"
_FREQUENCY = (
    r"\b(?:once|twice|thrice|times)[ ](?:a|per|each|every|in[ ]a)?[ ]?(?:day|daily|night|week)\b"
    rf"|\b(?:{NUMBER}|an?)[ ](?:a|per)[ ](?:day|night)\b|\b(?:daily|nightly|bd|tds|tid|bid|qid)\b"
    rf"|\bevery[ ](?:{NUMBER}[ ])?(?:hours?|morning|night|day)\b"
)
_DOSED = re.compile(
    rf"(?:{_AMOUNT}|{_FREQUENCY})[^.;!?]*?(?:\b(?:for|x|over|during|until|the[ ]next)|[,:(-])"
    r"(?:[ ](?:up[ ]to|about|at[ ]least|another|the[ ]next|a[ ]total[ ]of|total))?[ ]?\Z",
    re.IGNORECASE,
)
_ADVISED = re.compile(
    rf"{_AMOUNT}|{_FREQUENCY}|\b(?:take|apply|use|avoid|give[ ]it|continue|keep|rest|repeat|expect"
    r"|stop|wear|wait|recheck|review|return|come[ ]back|follow[ -]?up|carry[ ]on|no|not|should|must"
    r"|needs?[ ]to|have[ ]to|will|would|can|may|might|usually|normally|generally|typically|mostly"
    r"|at[ ]most|at[ ]least|at[ ]the[ ](?:earliest|latest)|takes|recovers?|heals?|improves?"
    r"|resolves?|settles?|results[ ]in|lasts|passes|recommend(?:ed)?|suggest|advise|means|best"
    r"|within|if|once|unless)\b",
    re.IGNORECASE,
)
_TREATED = re.compile(rf"{_AMOUNT}|(?<![\w-])(?:{MEDICINE}|{ABBREVIATION})(?!\w)", re.IGNORECASE)
_UNTIL_NOW = re.compile(r"\b(?:been|ago|since|past|last|previous(?:ly)?|now)\b", re.IGNORECASE)
_PAST = re.compile(
    rf"{_UNTIL_NOW.pattern}|\b(?:earlier|already|was|were|had|did|went|got|came|took|started|began"
    r"|lasted|diagnosed|suffer(?:ing|ed|s)?|released|stay(?:ed|ing)?|liv(?:es?|ed|ing)|married"
    r"|work(?:ed|s|ing)?|lost|used[ ]to|kept|said|told|smok\w{1,4}|unemployed|jobless|homeless"
    r"|widow\w{0,4}|divorced|separated|retired|sober|clean|trying|employees?|tenants?|wedding|visa"
    r"|army|court|sentenced?|custody|jail|prison(?:ers?)?|detain(?:s|ed)?|deport(?:s|ed)?|defendants?"
    r"|applicants?|appellants?|claimants?|m(?:rs?|s)[ .])\b",
    re.IGNORECASE,
)
_COMPLAINT = (
    r"(?:symptoms?|pains?|\w{2,8}aches?|swelling|cough|rash|itch\w{0,3}|fevers?|bleeding|periods?"
    r"|diarrh?o?ea|constipation|insomnia|dizz\w{1,4}|infections?|pregnan\w{2,3})"
)
_ELLIPTIC = re.compile(rf"\W*(?:(?:(?:no|my)[ ])?{_COMPLAINT},?[ ])?(?:for[ ])?", re.IGNORECASE)
"""The beginning of a sentence without a subject: "Cough for «three weeks», should I worry"."""
_WITHOUT = re.compile(r"\W*(?:no|not|without)[ ][\w-]+[ ](?:for[ ])?", re.IGNORECASE)
"""The same for months and years; with days it is as often advice."""
_PERSON = re.compile(
    r"\b(?:I(?!['’](?:d|ll)\b|[ ](?:would|will|shall|suggest|recommend|advise|prescribe|propose))"
    r"|im|ive|my|me|our|us|he|she|his|hers?|him|they"
    r"|mum|mom|dad|mother|father|son|daughter|wife|husband|brother|sister|uncle|aunt|grand\w{3,8}"
    r"|(?:you|we|it)['’](?:ve|re)"
    r"|you[ ](?:[a-z]+ed|broke|fell|felt|hurt|underwent|are|have(?![ ]to)))\b",
    re.IGNORECASE,
)
_BEFORE_FOR_AGO = re.compile(r"\bbefore[ ](?:about[ ])?\Z", re.IGNORECASE)
"""A common way to write "ago": "broke it before one year"."""


def is_treatment(text: str, start: int, end: int) -> bool:
    """Return whether the length of time at `[start, end)` is a treatment's or advice's.

    A dose or a frequency before days or weeks is enough, unless it continues until now.
    Other advice must name what is treated and mention no person.

    Does not guarantee: every treatment. An ambiguous duration is treated as personal history.

    """
    value = text[start:end]
    sentence_start, sentence_end = _sentence(text, start, end)
    sentence = text[sentence_start:sentence_end]
    if not _LENGTH.fullmatch(value) or not _TREATED.search(sentence):
        return False
    before = text[max(sentence_start, start - _BEFORE) : start]
    if _DAYS_OR_WEEKS.search(value) and _DOSED.search(before) and not _UNTIL_NOW.search(sentence):
        return True
    if _PAST.search(sentence) or _PERSON.search(sentence) or _BEFORE_FOR_AGO.search(before):
        return False
    begins = text[sentence_start:start]
    if _ELLIPTIC.fullmatch(begins):
        return False
    if not _DAYS_OR_WEEKS.search(value):  # words after it may be a question about a long time
        return bool(_ADVISED.search(before)) and not _WITHOUT.fullmatch(begins)
    return bool(_ADVISED.search(f"{before} {text[end : min(sentence_end, end + _AFTER)]}"))


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range of the sentence around a range."""
    first = max(0, start - _SENTENCE)
    borders = [match.end() for match in _BORDER.finditer(text, first, start)]
    following = _BORDER.search(text, end, end + _SENTENCE)
    last = following.start() if following else min(len(text), end + _SENTENCE)
    return (borders[-1] if borders else first), last
