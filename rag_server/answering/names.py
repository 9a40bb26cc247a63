"""Sentences without names: a question that names no one gets an answer that names no one."""

from __future__ import annotations

import re

from sage_rag.agents.lexicon import lexicon
from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.tokens import TOKEN, may_have_token
from sage_rag.rag_server.answering.particulars import asks_who
from sage_rag.rag_server.answering.protocols import AnswerContext

_CLEAR_TITLE = r"(?:Drs?|Mrs?|Ms|Miss|Mx|Prof(?:essor)?|Señora?|Herr|Frau|Monsieur|Madame)\.?[ ]"
_TITLE = (
    rf"(?:{_CLEAR_TITLE}|(?:Doctor|Sir|Madam|Sister|Nurse|Coach|Teacher|Judge"
    r"|Captain|Father|Don|Doña|Señorita|Pan|Pani)\.?[ ])?"
)
_INNER = r"_\[[^\[\]\s]*\]"
_SPEAKS = r"(?=[ ](?:say|said|tell|told|ask|asked|think|thought|feel|felt|want|wanted|live)s?\b)"
NAME = (
    rf"(?:{_TITLE}PERSON{_INNER}|{_CLEAR_TITLE}(?:LOCATION|ORGANIZATION){_INNER}"
    rf"|LOCATION{_INNER}{_SPEAKS})(?:-[^\W\d_]+)?"
)
"""A person's name with its title. After "Mrs", or before "said", what looks like a place is one."""
_HELLO = (
    r"(?:(?:my )?dear|hello|hi|hey|greetings|welcome|good (?:morning|afternoon|evening|day))"
    r"(?: (?:again|there))?,?[ ]++"
)
_GREETING = re.compile(
    rf"(?i:{_HELLO})(?:{NAME}(?:,?[ ](?:and |& )?(?i:{_HELLO})?{NAME})*(?:[,!:][ ]+|[,!:.]?\Z)"
    r"|[^,.;:!?]+,\Z)"
)
_DESCRIBED = re.compile(
    r"(\b(?i:our|my|your|his|her|their|the|an?)(?:[ ][^\W\d_]+(?:-[^\W\d_]+)*){1,3})"
    rf",[ ]{NAME},(?=[ ][^\W\dA-Z])"
)
"""A word in lower case goes on with the sentence; "our agent, ..., Head of Accounts," does not."""
_INNER_NAME = re.compile(rf"(?<=\w),[ ]{NAME},(?=[ ][^\W\d])")
_LAST = re.compile(rf"(?<=\w),[ ]{NAME}(?=[.;:!?])")
_OF_KIN = re.compile(
    r"(\b(?i:my|our|your|his|her|their)[ ](?:grand|step)?(?:aunt|brother|child|colleague|cousin|dad"
    r"|daughter|father|friend|husband|mother|mum|neighbou?r|nephew|niece|parents|partner|sister|son"
    rf"|uncle|wife))(?:[ ]{NAME})+"
)
_NAMES = re.compile(
    r"(?P<before>\b(?:an?|the|our|my|your|his|their)[ ]"
    r"(?:(?:[^\W\d_]+ed|late|former|old|young)[ ])?)?"
    rf"{NAME}(?:[ ]{NAME})*(?P<owner>['’]s?)?(?:[ ](?P<next>[^\W\d_]+))?",
    re.IGNORECASE,
)
"""Names in a row, with the determiner that they or their noun follow: "a mated ... queen"."""


_SEVERAL = re.compile(
    r"\bthe person(?:(?:,|,? (?:and|or)) the person)+\b(?!['’]|[ ]\()", re.IGNORECASE
)


def names_someone(text: str) -> bool:
    """Return whether a text has a value that identifies a person alone, or an address."""
    return any(_identifies(match.group(1)) for match in TOKEN.finditer(text))


def names_no_one(conversation: AnswerContext) -> bool:
    """Return whether a question, with what it takes from earlier ones, names and asks for no one.

    It asks for someone where it wants a record ("BK-2217", "what happened on 3 May?"), and with
    "who" next to a value: "who lives at ...?".
    """
    question, evidence = conversation.standalone or conversation.question, conversation.evidence
    if names_someone(question) or (evidence and (evidence.whole_record or evidence.by_few_words)):
        return False
    return not asks_who(question)


def without_greeting(text: str) -> str:
    """Return a sentence without "Dear ...," or the like; empty where it is nothing more."""
    greeting = _GREETING.match(text)
    return text[greeting.end() :] if greeting else text


def without_names(text: str) -> str | None:
    """Return a sentence without its names, or `None` where it cannot go without them.

    A name between commas adds to the words before it: "our nurse, ..., will call" becomes "our
    nurse will call"; so does one after "his wife", or between a determiner and its noun. Any other
    person's name becomes "the person", and several in a list "two people"; a number or an address
    that identifies someone has no such replacement.
    """
    if not may_have_token(text):
        return text
    bare = _DESCRIBED.sub(r"\1", without_greeting(text))
    bare = _OF_KIN.sub(r"\1", _INNER_NAME.sub(",", bare))
    bare = _SEVERAL.sub(_counted, _NAMES.sub(_stand_in, _LAST.sub("", bare)))
    if not bare or names_someone(bare):
        return None
    return bare[0].upper() + bare[1:]


def _stand_in(match: re.Match[str]) -> str:
    before, owner, following = match["before"], match["owner"] or "", match["next"]
    after = f" {following}" if following else ""
    if before is None:
        return f"the person{owner}{after}"
    if following and not owner and not _is_function_word(following):
        return f"{before}{following}"
    is_alone = before.casefold() == "an "
    return f"{before[0] if is_alone else before[:-1]} person{owner}{after}"


def _counted(match: re.Match[str]) -> str:
    return "two people" if match.group().casefold().count("person") == 2 else "several people"


def _is_function_word(word: str) -> bool:
    known = lexicon()
    return word.casefold() in known.stop_words or word.casefold() in known.verbs


def _identifies(entity_type: str) -> bool:
    return identifiability(EntityType(entity_type)) is Identifiability.DIRECT
