"""Questions for a record, or for how a case ended, and not for a fact in it. English."""

from __future__ import annotations

import re

from sage_rag.agents.lexicon import lexicon
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.wordlists import TITLES
from sage_rag.privacy.tokens import TOKEN
from sage_rag.rag_server.answering.particulars import asks_who

_WORD = re.compile(rf"{TOKEN.pattern}|[^\W_]+(?:['’][^\W_]+)?")
REQUESTS = frozenset(
    "tell know knows show give find say describe explain summarize summarise summary information "
    "info details record records file files data patient client customer case visit story matter "
    "overview brief briefly short shortly line lines sentence sentences paragraph two three".split()
)
"""Words that ask for a record, and for nothing in it."""
WHO = frozenset("who whom whose".split())
_WHOSE = re.compile(r"\bwhose\s+(?:[^\W\d_]+\s+){1,2}?(?=(?:is|was)\b)", re.IGNORECASE)
"""What is asked for the owner of a value is of any kind: "whose ticket is ...?"."""
_NAME = re.compile(
    rf"(?:\b(?:{'|'.join(sorted(TITLES))})\b\.?\s+){{0,4}}{TOKEN.pattern}(?:['’]s?\b)?",
    re.IGNORECASE,
)
"""A name with its titles and ending: "Dr. Ada's". "The doctor of Ada" asks for someone else. The
titles are bounded, since a row of them without a name would take quadratic time."""
_ASKS_OUTCOME = re.compile(
    r"\b(?:outcome|result|end) of\b[^?]*\b(?:case|proceedings|trial|appeal|action|application)\b"
    r"|\bwhat did the courts? (?:finally )?(?:decide|rule|hold)\b"
    r"|\bhow did\b[^?]*\b(?:case|proceedings|trial|appeal|action|application)\b[^?]*\bend\b",
    re.IGNORECASE,
)
_OUTCOMES = frozenset(
    "outcome result end court courts finally decide rule hold proceedings trial appeal action "
    "application".split()
)
"""Words that ask, with these patterns, how a case ended."""
_MESSAGE = re.compile(
    r"\b(?:e-?mails?|mails?|messages?|letters?)\s+(?:(?:that|which)\s+)?(?:from|by|to|between|sent"
    r"|written)\b"
    r"|\bwhat did\s+(?:write|send|e?-?mail)\b(?:\s+to\b)?",
    re.IGNORECASE,
)
"""A question for what someone wrote, without the names."""
_TITLED = rf"(?:(?:{'|'.join(sorted(TITLES))})\b\.?\s+){{0,4}}"
_WRITER = re.compile(
    rf"\b(?:e-?mails?|mails?|messages?|letters?)\s+(?:(?:that|which|sent|written|was|were)\s+)*"
    rf"(?:from|by)\s+{_TITLED}(?P<writer>{TOKEN.pattern})"
    rf"|\bdid\s+{_TITLED}(?P<writes>{TOKEN.pattern})\s+(?:write|send|e?-?mail)\b",
    re.IGNORECASE,
)
_EVENTS = frozenset(
    "happen happened happens occurred came come went visit visited visits done did do took place "
    "seen saw made job jobs work worked appointment appointments entry entries events "
    "event incident incidents accident accidents anything anyone anybody something someone "
    "nothing".split()
)
"""Words that ask, next to a date, for what a record of this date says."""
_HOLDS = frozenset(
    "whose live lives lived living resides reside address home house flat phone telephone mobile "
    "number serial frame chassis order claim policy reference registration licence license "
    "plate car van vehicle belong belongs belonging owns own owner owned has have membership "
    "member reached called account invoice email e-mail mail".split()
)
"""Words that ask, after "who" and next to a value, whose value it is."""
_WHO_IS = re.compile(r"\bwho(?:['’]s| (?:is|was|are|were))\b", re.IGNORECASE)
_ASKS_FACT = re.compile(r"\b(?:when|where|why)\b", re.IGNORECASE)
_ASKS_WHETHER = re.compile(
    rf"\W*(?:(?:and|but|so|also)\W+)*(?:is|are|was|were|does|did|has|had)\s+{_NAME.pattern}",
    re.IGNORECASE,
)

_ASKS_TRAIT = re.compile(
    rf"\W*(?:(?:and|but|so|also)\W+)*(?:(?:does|did)\s+{_NAME.pattern}\s+(?:have|suffer)"
    rf"|(?:has|had)\s+{_NAME.pattern}\s+(?:got|an?|ever had)"
    rf"|(?:is|was)\s+{_NAME.pattern}\s+an?)\b",
    re.IGNORECASE,
)


def asks_who_someone_is(question: str) -> bool:
    """Return whether a question asks who someone is, and for nothing else: "Who is Ada?"."""
    return _WHO_IS.search(question) is not None and not plain_words(question)


def asks_for_overview(question: str) -> bool:
    """Return whether a question asks for a record: "tell me about", "what was the case of".

    So does a person's name with words of no content: "What does Ada have?".
    """
    words = TOKEN.sub(" ", question).casefold().split()
    if not plain_words(question):
        return any(m.group(1) == EntityType.PERSON for m in TOKEN.finditer(question))
    return any(word.strip("?.,:") in REQUESTS for word in words) or asks_for_message(question)


def asks_for_outcome(question: str) -> bool:
    """Return whether a question asks how a case ended, and for nothing else in it."""
    plain = _NAME.sub(" ", question)
    if not _ASKS_OUTCOME.search(plain):
        return False
    return (REQUESTS | _OUTCOMES).issuperset(plain_words(plain))


def asks_for_message(question: str) -> bool:
    """Return whether a question asks for a mail or letter of someone, or what someone wrote."""
    return _MESSAGE.search(TOKEN.sub(" ", question)) is not None


def writers_asked(question: str) -> list[str]:
    """Return the tokens of the names whose mail or letter a question asks for."""
    return [match["writer"] or match["writes"] for match in _WRITER.finditer(question)]


def asks_for_record(question: str, *, by_code: bool) -> bool:
    """Return whether a question asks for a record, or whose it is, and for nothing in it.

    It has no content but names and words that ask so. `by_code`: or a code.
    """
    if asks_for_day(question):
        return True
    if _ASKS_FACT.search(question) or asks_whether(question):
        return False
    owned = _WHOSE.sub(" ", question) if asks_who(question) else question
    plain = _MESSAGE.sub(" ", _NAME.sub(" ", owned))
    words = plain_words(without_numbers(plain) if by_code else plain)
    allowed = REQUESTS | _HOLDS if asks_who(question) else REQUESTS
    return allowed.issuperset(words)


def asks_whether(question: str) -> bool:
    """Return whether a question asks yes or no about someone: "Does Ada have a cough?"."""
    return _ASKS_WHETHER.match(question) is not None


def asks_trait(question: str) -> bool:
    """Return whether a question asks for a condition or a role of someone: "Is Ada a nurse?"."""
    return _ASKS_TRAIT.match(question) is not None


def asks_for_day(question: str) -> bool:
    """Return whether a question has no content but a date, names and what happened then."""
    has_day = any(m.group(1) == EntityType.DATE_TIME for m in TOKEN.finditer(question))
    return has_day and (REQUESTS | _EVENTS).issuperset(plain_words(question))


def without_numbers(text: str) -> str:
    """Return a text without the words that have a digit."""
    return " ".join(word for word in text.split() if not any(map(str.isdecimal, word)))


def plain_words(question: str) -> list[str]:
    """Return the content words of a question without its names and their titles."""
    return content_words(_NAME.sub(" ", _WHO_IS.sub("who", question))).casefold().split()


def content_words(question: str) -> str:
    """Return the words of a question that are no stop words; stems differ from stop words."""
    stop = lexicon().stop_words
    found = (match.group() for match in _WORD.finditer(question))
    return " ".join(word for word in found if word.casefold() not in stop)
