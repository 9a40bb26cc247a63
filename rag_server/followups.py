"""Follow-up questions: what the last question takes from the earlier ones, without a model.

Edge and server both read a conversation this way: the edge makes blind words of the tokens that a
follow-up question takes over, and the server searches with them. English; a question in another
language stands for itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from sage_rag.agents.lexicon import lexicon
from sage_rag.common.sentences import sentence_spans
from sage_rag.common.stems import stem
from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.recognizers.wordlists import TITLES
from sage_rag.privacy.tokens import TOKEN, token_type, tokens_in
from sage_rag.rag_server.remarks import without_remarks

_WORD = re.compile(rf"{TOKEN.pattern}|[^\W_]+(?:['’-][^\W_]+)*")
_ONE_PERSON = frozenset("he she him her his hers".split())
_PERSON_PRONOUNS = _ONE_PERSON | {"they", "them", "their", "theirs"}
_SOMEONE = frozenset(
    "adult adults agent applicant aunt babies baby boss boy boys brother buyer child children"
    " client clients colleague cousin customer customers dad daughter defendant doctor driver"
    " employee employees employer families family father friend gentleman girl girls grandfather"
    " grandmother guest husband infant infants insurer judge kid kids lady landlord lawyer lender"
    " man manager men mother mum neighbour neighbours nephew niece nurse officer owner owners"
    " parent parents partner passenger patient patients people person plaintiff relatives seller"
    " sister someone son spouse staff student surgeon teacher tenant tenants toddler toddlers"
    " uncle victim wife witness woman women worker workers".split()
)
"""Words for a person whom a pronoun may mean."""
_THING_PRONOUNS = frozenset("it its this that these those one ones there same other".split())
_OPENERS = re.compile(
    r"\W*(?:and|but|or|so|also|then|otherwise|instead|(?:what|how) about|what if|why not"
    r"|(?:(?:no|nope|sorry|oops|actually|wait)\b\W*)*i (?:meant?|was asking about))\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\W*(?:no|nope|sorry|oops|actually|wait)[,.:;!–—-]+\s*", re.IGNORECASE)
ADDS_NAME = re.compile(
    rf"\W*(?:and\W+)?(?:against|by|from|to|with) {TOKEN.pattern}\W*\Z", re.IGNORECASE
)
"""A name that is added to the question before: "to Ada?"."""
_CONSENTS = re.compile(
    r"\W*(?:yes|yeah|yep|right|exactly|correct|i did|i do)(?:\W+(?:please|indeed|i (?:did|do)"
    r"|that(?:['’]s| is| was) (?:him|her|it|right|correct|the one)))*\W*\Z",
    re.IGNORECASE,
)
_SUGGESTS = re.compile(rf"\bDid you mean (?P<name>{TOKEN.pattern})[?]")
_DEFINES = re.compile(r"\W*what(?:['’]s| is| are) an? ", re.IGNORECASE)
"""The start of a question about a kind of thing, whatever was asked before."""
_PRONOUN = re.compile(
    r"\b(?:(?P<owner>his|her|their)(?=[ ]+(?P<owned>[^\W\d_]+))|his|her|he|she|him|they|them)\b",
    re.IGNORECASE,
)
_BY_PROFESSION = re.compile(
    r"\b(?:dra?|doctor|prof|professor|nurse|sister|matron|midwife|judge|justice|pharmacist|surgeon"
    rf"|consultant|(?:physio)?therapist|inspector|detective|officer)\W+(?P<name>{TOKEN.pattern})",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?\Z", re.IGNORECASE)
_SHORT = 3
"""A question with fewer content words takes its subject from the question before."""
_LONG = 6
"""A question with as many content words holds what its "it" or "that" refers to."""
_NAME_ALONE = 2
"""A question with a name and fewer other content words may only exchange the name."""
_MOST_CARRIED = 40
"""Words: about three questions."""
_FEWEST_ASKED = 2
"""Content words of a question that can be searched with."""
_ASKS = re.compile(r"\?[\"'”’)]*\Z")
_LETTER = 80
"""Words of a message from which on it reports something and asks something."""
_MOST_ASKED = 3
"""Sentences of it that ask, the last ones."""


def asked_by_user(turns: Iterable[tuple[str, str]]) -> list[str]:
    """Return the messages of the user in order. `turns`: role and text of each message.

    "Yes" to the one name that an answer suggests ("Did you mean ...?") stands for the name.
    """
    asked: list[str] = []
    suggested: re.Match[str] | None = None
    for role, text in turns:
        if role == "user":
            is_yes = suggested is not None and _CONSENTS.match(text)
            asked.append(f"I meant {suggested['name']}" if suggested and is_yes else text)
        suggested = _SUGGESTS.search(text) if role == "assistant" else None
    return asked


def standalone(questions: Sequence[str]) -> str:
    """Return the last question, followed by what it takes from the earlier ones.

    `questions`: the user's messages in order, with tokens. A follow-up question begins with "and",
    "no, I meant" or the like, names no one and has a pronoun, or has few content words. It takes
    the content words and tokens of the question before, which may be a follow-up itself. A question
    that names a person takes no other person over, and "and Friday?" no other day. A pronoun for a
    person of whom none of these questions speaks is the person whom an earlier one names. Of a long
    message, the question is what it asks, and the rest is what came before. After a remark about
    the last answer, the last question is the one before it.
    """
    questions = without_remarks(questions)
    parts = [*questions[:-1], *(p for last in questions[-1:] for p in _told_and_asked(last))]
    chain: list[str] = []
    for question in reversed(parts):
        chain.append(question)
        if not _is_follow_up(question):
            break
    found = ""
    for place, question in enumerate(reversed(chain)):
        carried = _carried(question, found) if found and place else []
        found = " ".join([question, *carried])
    return " ".join([found, *_person_meant(chain, parts[: -len(chain)])])


def people_before(questions: Sequence[str]) -> list[str]:
    """Return the persons whom the question before the last one names, or takes from earlier ones.

    A question that names no one may be about them.
    """
    return list(filter(_is_person, tokens_in(standalone(questions[:-1]))))


def whole_question(question: str, standalone: str) -> str:
    """Return the last question as a sentence that can be read alone.

    `standalone` is a heap of words: good to search with, and its earlier words are asked no more. A
    person whom the question takes over replaces its pronoun. A question of one content word says
    too little: of it, `standalone` is returned.
    """
    own = _words(question)
    taken = {word for word in _words(standalone) if _is_name(word)}
    if len(taken) > 1:  # "he" of "What did Dr. Ash tell Bo?" is rather Bo
        taken -= {match["name"] for match in _BY_PROFESSION.finditer(standalone)}
    if len(taken) == 1 and not any(map(_is_name, own)):
        tokens = [match.span() for match in TOKEN.finditer(question)]
        for match in _PRONOUN.finditer(question):
            if not any(start <= match.start() < end for start, end in tokens):
                before, after = question[: match.start()], question[match.end() :]
                return f"{before}{_named(match, taken.pop())}{after}"
    return question if len(asked_words(question)) >= _FEWEST_ASKED else standalone


def asked_words(question: str) -> list[str]:
    """Return the content words of a question, without those that show that it goes on."""
    return list(_content(_words(_without_opening(question))))


def asked_of_another(questions: Sequence[str]) -> str:
    """Return the last question; "And Ada?" after "Where does Bo live?" is "Where does Ada live?".

    `questions`: as for `standalone`. Only a question of one name is read so, and only where the one
    before names one person, or has a pronoun for one.
    """
    asked = ""
    for question in without_remarks(questions):
        words = [w for w in _words(_without_opening(question)) if w.casefold() not in TITLES]
        name, *others = list(_content(words)) or [""]
        same_asked = None
        if _is_name(name) and not others:
            # "To Ada?" after "What did Bo sell?" asks something else.
            before = asked_part(asked)
            known = {_bare(word) for word in _words(before)}
            if all(word == name or _bare(word) in known for word in words):
                same_asked = _exchanged(before, name)
        asked = same_asked or question
    return asked


def _exchanged(question: str, name: str) -> str | None:
    """Return a question about one person as one about another; `None` if it has not one."""
    kind = token_type(name)
    named = {match.group() for match in TOKEN.finditer(question) if match.group(1) == kind}
    if len(named) == 1 and len(list(_content(_words(question)))) > 1:
        return question.replace(named.pop(), name)
    pronouns = {match.group().casefold() for match in _PRONOUN.finditer(question)}
    if named or len(pronouns) != 1 or kind != EntityType.PERSON:
        return None
    return _PRONOUN.sub(lambda match: _named(match, name), question)


def _named(pronoun: re.Match[str], name: str) -> str:
    # "her" is an owner before "knee", and none before "to".
    owned = pronoun["owned"]
    return f"{name}'s" if owned and owned.casefold() not in lexicon().stop_words else name


def asked_part(message: str) -> str:
    """Return the sentences of a long message that ask something; other messages as they are."""
    return _told_and_asked(message)[-1]


def _told_and_asked(message: str) -> list[str]:
    """Return what a long message reports, and what it asks; one text where it is one."""
    if len(message.split()) < _LETTER:
        return [message]
    sentences = [message[start:end] for start, end in sentence_spans(message)]
    asking = [n for n, sentence in enumerate(sentences) if _ASKS.search(sentence)][-_MOST_ASKED:]
    asked = " ".join(sentences[n] for n in asking)
    if len(list(_content(_words(asked)))) < _FEWEST_ASKED:
        return [message]
    return [" ".join(s for n, s in enumerate(sentences) if n not in asking), asked]


def _is_follow_up(question: str) -> bool:
    words = _words(_without_opening(question))
    content = list(_content(words))
    names = [word for word in content if _is_name(word)]
    opens = bool(_OPENERS.match(question))
    if names:
        begins = opens or bool(_ASIDE.match(question) or ADDS_NAME.match(question))
        return begins and len(content) - len(names) < _NAME_ALONE
    folded = {word.casefold() for word in words}
    return (
        opens
        or (len(content) < _SHORT and not _DEFINES.match(question))
        or bool(folded & _PERSON_PRONOUNS)
        or (bool(folded & _THING_PRONOUNS) and len(content) < _LONG)
    )


def _person_meant(chain: Sequence[str], earlier: Sequence[str]) -> list[str]:
    """Return the names that a pronoun in the questions of a chain takes from those before them.

    Empty where the chain speaks of someone itself: "she" after "the mother" is the mother.
    """
    words = [word for question in chain for word in _words(question)]
    folded = {word.casefold() for word in words}
    if folded.isdisjoint(_ONE_PERSON) or not folded.isdisjoint(_SOMEONE):
        return []
    if any(map(_is_name, words)):
        return []
    named = ([w for w in _words(question) if _is_person(w)] for question in reversed(earlier))
    return list(dict.fromkeys(next(filter(None, named), ())))


def _without_opening(question: str) -> str:
    """Return a question without the words that only show that it goes on from another one."""
    opening = _OPENERS.match(question) or _ASIDE.match(question)
    return question[opening.end() :] if opening else question


def _carried(question: str, before: str) -> list[str]:
    """Return the content words of `before` that the question does not have, in order.

    A question that names someone exchanges the names, and one that goes on with a day the days.
    """
    own = _words(question)
    known = {_key(word) for word in own}
    goes_on = bool(_OPENERS.match(question) or _ASIDE.match(question))
    exchanged: list[Callable[[str], bool]] = []
    if any(map(_is_name, own)):
        exchanged.append(_is_name)
    if goes_on and any(map(_is_day, own)):
        exchanged.append(_is_day)
    carried: dict[str, str] = {}
    for word in _content(match.group() for match in _WORD.finditer(before)):
        if len(carried) == _MOST_CARRIED:
            break
        if _key(word) not in known and not any(is_kind(word) for is_kind in exchanged):
            carried.setdefault(_key(word), word)
    return list(carried.values())


def _words(text: str) -> list[str]:
    return [match.group() for match in _WORD.finditer(text)]


def _content(words: Iterable[str]) -> Iterator[str]:
    """Yield the words that carry content: tokens, and words that are not stop words."""
    stop = lexicon().stop_words
    return (
        word
        for word in words
        if TOKEN.fullmatch(word)
        or (_bare(word) not in stop and (len(word) > 1 or word.isdecimal()))
    )


def _bare(word: str) -> str:
    return re.split(r"['’]", word.casefold(), maxsplit=1)[0]


def _key(word: str) -> str:
    return word if TOKEN.fullmatch(word) else stem(word)


def _is_name(word: str) -> bool:
    match = TOKEN.fullmatch(word)
    if match is None:
        return False
    return identifiability(EntityType(match.group(1))) is Identifiability.DIRECT


def _is_person(word: str) -> bool:
    match = TOKEN.fullmatch(word)
    return match is not None and match.group(1) == EntityType.PERSON


def _is_day(word: str) -> bool:
    match = TOKEN.fullmatch(word)
    if match is None:
        return bool(_WEEKDAY.match(word))
    return match.group(1) == EntityType.DATE_TIME
