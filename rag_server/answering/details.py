"""Details: whether a record states the kind of thing that a question asks for. English.

A record can be about the matter of a question and lack what is asked: a price, an age, the bank.
Its words and vector are near to the question all the same.

Source: Li and Roth (2002), "Learning question classifiers", COLING, §2, the fine classes: money,
age, distance, weight, colour, code, temperature, group. Differs: patterns in place of a classifier.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sage_rag.agents.lexicon import lexicon
from sage_rag.common.sentences import sentence_spans
from sage_rag.indexer.embedding import cosines
from sage_rag.indexer.protocols import Embedder
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.lexicon import Kind, default_lexicon, fold
from sage_rag.privacy.tokens import TOKEN, tokens_in
from sage_rag.rag_server.answering.cues import AMOUNT, ASKS_TIME, TIME, asks_value
from sage_rag.rag_server.answering.sentences import content_stems

_ANY_CASE = re.IGNORECASE
_ALIKE = 0.5
"""Cosine of two words alone from which one may stand for the other: "physician" and "doctor". Of
the development questions, no answerable one asks for a noun below it."""
MOST_WORDS = 30
"""Of a question; a longer text reports something, and no part of a record answers it."""
_ORGANISATIONS = (
    "agency airline bank brand clinic company contractor dealer employer firm garage hospital"
    " insurer laboratory lender maker manufacturer producer school shop supplier surgery university"
).split()
_AUXILIARIES = (
    "is are was were be do does did may can could must should has have had will would".split()
)
_NO_NOUNS = ("a", "an", "the", *_AUXILIARIES)
_GENERAL = frozenset(
    "advice amount case cause day date diet dose drug effect evidence help hour kind medicine month"
    " part people person place point problem reason rule sign sort step symptom test thing time"
    " treatment type way week year".split()
)
"""Nouns that a record does not repeat when it states one: "amoxicillin" is a medicine."""


def _any(*words: str) -> re.Pattern[str]:
    return re.compile("|".join(words), _ANY_CASE)


@dataclass(frozen=True, slots=True)
class _Detail:
    """A kind of detail. `states`: patterns that are all in the sentences that state one, or
    alternatives to them."""

    asks: re.Pattern[str]
    states: tuple[tuple[re.Pattern[str], ...], ...]
    kind: re.Pattern[str] | None = None

    def is_in_one(self, near: Sequence[str], own: set[str]) -> bool:
        """Return whether one of some texts states the detail of what the stems `own` say.

        Words of the kind of detail do not count: "cost" is near each price.
        """
        about = {stem for stem in own if not self.kind.search(stem)} if self.kind else set()
        return any(
            any(all(p.search(text) for p in patterns) for patterns in self.states)
            and (not about or not about.isdisjoint(content_stems(text)))
            for text in near
        )


_NUMBER = _any(r"(?<![\w\[])\d", r"QUANTITY_\[", r"\bper ?cent\b", r"\bhalf\b", r"\bnothing\b")
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_NAME = re.compile(
    r"(?:LOCATION|MISC|ORGANIZATION)_\["
    rf"|(?<=[a-z,;] )(?!(?:{_MONTHS}|[A-Z][a-z]+day)\b)[A-Z][a-z]+"
)
_MONEY_WORD = _any(
    r"\b(?:allowance|amount|bought|compensation|deposit|due|fines?|interest|paid|payable|pays?"
    r"|pric\w+|rent|salary|sold|sum|wages?|worth|charge\w*|costs?|earn\w*|fees?|ow(?:e|es|ed)"
    r"|refund\w*)\b"
)
_MONEY_STEM = _any(r"\A(?:charg|cost|expens|fee|fine|high|owe|paid|pay|price|rent|salari|wage)")
_DETAILS = (
    _Detail(
        _any(
            r"\bhow (?:much|expensive)\b[^?]*\b(?:charged?|costs?|due|earns?|owe|pa(?:y|ys|id))\b",
            r"\b(?:what|which|how much|how high)\b[^?]{0,30}\b(?:costs?|fees?|fine|price|rent"
            r"|salary|wages?)\b",
        ),
        (
            (_any(r"[$€£¥]\s?\d", r"\d\s?(?:[$€£¥]|(?:dollars?|euros?|pounds?)\b)", r"\bfree\b"),),
            (_MONEY_WORD, _NUMBER),
        ),
        _MONEY_STEM,
    ),
    _Detail(
        _any(r"\bhow old\b", r"\bwhat age\b", r"\bage of\b"),
        ((_any(r"AGE_\[", r"\b(?:aged?|born|years?)\b", r"\bbirth", r"\bmonths old\b"),),),
    ),
    _Detail(
        _any(r"\bwhen (?:was|were) \S+(?: \S+)? born\b", r"\bbirthday\b", r"\bdate of birth\b"),
        ((_any(r"\bborn\b", r"\bbirth"),),),
    ),
    _Detail(
        _any(
            r"\bhow (?:deep|far|tall|thick|wide)\b(?! apart)",
            r"\bhow many (?:centi|kilo|milli)?(?:met(?:er|re)s|miles)\b",
        ),
        (
            (
                _any(
                    r"\d ?(?:mm|cm|m|km)\b",
                    r"\b(?:(?:centi|kilo|milli)?met(?:er|re)s?|miles?|inch(?:es)?|feet|foot|yards?"
                    r"|steps?|degrees?)\b",
                ),
            ),
        ),
    ),
    _Detail(
        _any(r"\bweighs?\b", r"\bhow heavy\b", r"\bweight of\b", r"\b(?:what|which) weight\b"),
        ((_any(r"\b(?:kg|(?:kilo)?grams?|kilos?|lbs|ounces?|pounds|tonnes?)\b", "weigh"),),),
    ),
    _Detail(
        _any(r"\b(?:what|which) colou?r\b"),
        (
            (
                _any(
                    r"\b(?:black|blue|brown|dark|gold|green|gr[ae]y|orange|pale|pink|purple|red"
                    r"|silver|white|yellow|colou?r\w*)\b"
                ),
            ),
        ),
    ),
    _Detail(
        _any(r"\b(?:tele)?phone number\b", r"\b(?:fax|extension) number\b"),
        ((_any(r"PHONE_NUMBER_\[", r"\bextension\b", r"(?<!\w)\d{3}"),),),
    ),
    _Detail(
        _any(r"\b(?:what|which) temperature\b", r"\bhow (?:cold|hot|warm)\b", "temperature of"),
        ((_any("°", r"\bdegrees?\b", r"\bminus\b", r"\b\d\d(?:\.\d)?(?: ?[CF])?\b"),),),
    ),
    _Detail(
        _any(rf"\b(?:what|which) (?:{'|'.join(_ORGANISATIONS)})\b"),
        ((_NAME,),),
        _any(rf"\A(?:{'|'.join(noun[:5] for noun in _ORGANISATIONS)})"),
    ),
    _Detail(
        _any(r"\bname of\b", r"\bwhat (?:is|was) \S+(?: \S+)? called\b"),
        ((_any(r"(?:LOCATION|MISC|ORGANIZATION|PERSON)_\["),),),
        _any(r"\A(?:call|name)"),
    ),
)
_COUNTS = _any(r"\bhow (?:many|much)\b")
_NUMBERED = (
    (ASKS_TIME, _any(TIME.pattern, r"\b(?:1\d|20)\d\d\b", rf"\b(?:{_MONTHS})\b")),
    (_COUNTS, _any(AMOUNT.pattern, r"(?:AGE|DATE_TIME)_\[")),
)
_HIDDEN_NUMBER = re.compile(r"(?:AGE|DATE_TIME|QUANTITY)_\[")
_ASKED_NOUN = re.compile(
    r"\b(?:how many|how much|which|what)\s+((?:[a-z'’-]+\s+){1,4}?)"
    rf"(?=(?:of|{'|'.join(_AUXILIARIES)}|works?|gets?|takes?)\b)",
    _ANY_CASE,
)
_ASKED_PAIR = re.compile(r"\bwhich\s+([a-z'’-]+\s+[a-z'’-]+)", _ANY_CASE)
_ASKED_ROLE = re.compile(r"\bwho (?:is|was) (?:an?|the) ([a-z'’-]+)", _ANY_CASE)
_ROLE = re.compile(
    r"\bwho(?:['’]s| is| was) (?:(?:an?|the|her|his|their|my|our|your)|\S+['’]s?) "
    r"(?:[^\W\d_]+ ){0,2}?(?P<role>[^\W\d_]+)(?=\W*\Z| (?:of|at|in|for)\b)",
    _ANY_CASE,
)
_ROLES = (
    "adviser|attorney|clerk|consultant|counsel(?:l?or)?|dentist|detective|doctor|driver|engineer|gp"
    "|guardian|inspector|instructor|judge|lawyer|manager|mediator|midwife|notary|nurse|officer"
    "|pharmacist|physician|physiotherapist|plumber|psychologist|solicitor|specialist|surgeon"
    "|teacher|technician|therapist|trainer|vet|veterinarian|witness|worker"
)
_WHICH_ROLE = re.compile(
    rf"\b(?:which|what) (?:[^\W\d_]+ )?(?P<role>{_ROLES})\b(?=\W*\Z| [^\W\d_])", _ANY_CASE
)
_ASKS_DOER = re.compile(r"\W*(?:and )?whom?\s+(?!else\b)[a-z]+\b", _ANY_CASE)
_ANYONE = re.compile(
    r"(?:PERSON|ORGANIZATION|LOCATION|DEMOGRAPHIC|MISC)_\[|\b(?:I|[Ww]e|me|us|Dr)\b"
    rf"|\b(?i:{_ROLES}|aunt|brother|child|children|colleague|cousin|dad|daughter|father|friend"
    r"|husband|mother|mum|neighbou?r|nephew|niece|parents|partner|people|person|sister|son|team"
    r"|uncle|wife)s?\b"
)
"""Someone: a name, or a word for a speaker, a relative or a role."""
_HIDDEN_ROLE = re.compile(r"DEMOGRAPHIC_\[|(?:PERSON_\[[^\s\]]*\] ){2}")
"""A role that was taken for a private value, or for a part of a name."""
_DOCTOR = re.compile(r"\bDr\b")
_NURSE = re.compile(r"\bSister(?= PERSON_)")
_UNIT = r"(?:mg|ml|micrograms?|milligrams?|tablets?|capsules?|drops|puffs|units)\b"
_DOSE = re.compile(rf"\d ?{_UNIT}", _ANY_CASE)
_ASKED_DOSE = re.compile(
    rf"\b(?:(?P<dose>(?:dos(?:es?|age)|{_UNIT}) of)|amount of|how (?:much|many) )"
    rf" ?(?:the |her |his |their |my )?(?P<noun>(?!{_UNIT})[^\W\d_]{{4,}})",
    _ANY_CASE,
)
_STAND_IN = "the person"
_SAME = 0.7
"""Cosine of two words alone from which one stands for the other: "diet" and "eat". Medicines are
nearer to each other than `_ALIKE`."""
_ASKED_DEED = re.compile(r"\W*whom?\s+([a-z]+)\b", _ANY_CASE)


def lacks_detail(
    question: str, record: str, embedder: Embedder | None = None, *, clear: bool = False
) -> bool:
    """Return whether a record states nothing of the kind that a question asks for.

    A price needs an amount near a word of payment; "how many" and "how long" a number in a sentence
    with a word of the question. "Which mattress" or "who approves" needs the word, or one like it
    as the `embedder` compares words alone. A question of no such kind lacks nothing, nor does a
    text that is too long for a question. `clear`: the record answers so well that only details of a
    known kind can be missing, such as a price.
    """
    if len(question.split()) > MOST_WORDS:
        return False
    record = _without(record, question)
    question = TOKEN.sub(" ", question)
    near = list(_sentences_in_pairs(record))
    own = set(content_stems(question))
    asked = [detail for detail in _DETAILS if detail.asks.search(question)]
    if asked:
        return not all(detail.is_in_one(near, own) for detail in asked)
    if clear:
        return False
    for states in (states for asks, states in _NUMBERED if own and asks.search(question)):
        if not any(states.search(s) and own & set(content_stems(s)) for s in near):
            return True
    if _COUNTS.search(question) and _hides_number(near, own):
        return False
    words = _asked_words(question)
    return bool(words) and embedder is not None and not _has_like(words, record, embedder)


def states_other(
    question: str,
    quoted: Sequence[str],
    embedder: Embedder | None = None,
    names: Collection[str] = (),
) -> bool:
    """Return whether quoted sentences are about someone or something else than is asked for.

    They have no person in the asked role, no one but the named person, or a dose of another
    medicine. `names`: the tokens that the names of the question may mean, besides its own.
    """
    return (
        lacks_role(question, quoted, embedder, names)
        or names_no_other(question, quoted, names)
        or states_other_dose(question, quoted)
    )


def names_no_other(question: str, quoted: Sequence[str], names: Collection[str] = ()) -> bool:
    """Return whether sentences name no one but the person of whom a question asks "who ...?".

    "Whom did Ada see?" is not answered by "Ada comes on Monday". `names`: of the question.
    """
    persons = any(m.group(1) == EntityType.PERSON for m in TOKEN.finditer(question))
    if not persons or not _ASKS_DOER.match(TOKEN.sub("x", question)):
        return False
    return not any(_ANYONE.search(_without(text, question, names)) for text in quoted)


def _without(text: str, question: str, names: Collection[str] = ()) -> str:
    """Return a text without what a question names, and without `names`."""
    named = {*names, *tokens_in(question)}
    return TOKEN.sub(lambda match: " " if match.group() in named else match.group(), text)


def states_other_dose(question: str, quoted: Sequence[str]) -> bool:
    """Return whether quoted sentences state a dose, and not of what a question asks a dose of.

    Of ordinary words ("how much weight") a question asks no dose, unless it says so.
    """
    asked = _ASKED_DOSE.search(TOKEN.sub(" ", question))
    text = " ".join(quoted)
    if asked is None or _DOSE.search(text) is None:
        return False
    noun = asked["noun"].casefold()
    if is_general(noun) or noun in lexicon().stop_words:
        return False
    if asked["dose"] is None and Kind.WORD in default_lexicon().kinds.get(fold(noun), ""):
        return False
    return set(content_stems(noun)).isdisjoint(content_stems(text))


def lacks_role(
    question: str,
    quoted: Sequence[str],
    embedder: Embedder | None = None,
    names: Collection[str] = (),
) -> bool:
    """Return whether no quoted sentence has a person in the role that a question asks for.

    "Who is the doctor of Ada?" and "which doctor ...?" are answered by a sentence with someone else
    and "doctor", or a word like it. Sentences in which no name was replaced lack nothing.
    """
    plain = TOKEN.sub("x", question)
    asked = _ROLE.search(plain) or _WHICH_ROLE.search(plain)
    if asked is None or not any(TOKEN.search(text) or _STAND_IN in text for text in quoted):
        return False
    role = asked["role"].casefold()
    if role in _GENERAL | lexicon().stop_words:
        return False
    others = [_without(text, question, names) for text in quoted]
    return not any(
        ("PERSON_[" in text or _STAND_IN in text)
        and (_HIDDEN_ROLE.search(f"{text} ") or _has_like([role], text, embedder))
        for text in others
    )


def is_general(noun: str) -> bool:
    """Return whether a record does not repeat a noun where it states one: "medicine", "dose"."""
    return not {noun, noun.removesuffix("s")}.isdisjoint(_GENERAL)


def lacks_topic(topic: str | None, quoted: Sequence[str], embedder: Embedder | None) -> bool:
    """Return whether no quoted sentence has a word, or one of nearly the same meaning.

    No sentence lacks a word of what a record states without naming it: "the dose", "the price".
    """
    if topic is None or is_general(topic.casefold()) or asks_value(topic):
        return False
    if TOKEN.fullmatch(topic):
        return not any(topic in text for text in quoted)
    return not _has_like([topic], " ".join(quoted), embedder, _SAME)


def _sentences_in_pairs(record: str) -> Iterator[str]:
    """Yield each sentence with the next one: "The lift was repaired. It took five days."."""
    sentences = [record[start:end] for start, end in sentence_spans(record)]
    yield from sentences[-1:]
    yield from (f"{first} {second}" for first, second in pairwise(sentences))


def _hides_number(near: Sequence[str], own: set[str]) -> bool:
    """Return whether a token may hold the asked number with its noun: "18 litres of oil"."""
    return any(_HIDDEN_NUMBER.search(s) and own & set(content_stems(s)) for s in near)


def _asked_words(question: str) -> Sequence[str]:
    """Return the words of which a record has one, or one like it, if it states what is asked.

    The noun after "which", "how many" or "who is the", the verb after "who"; the two words after
    "which" where it is unknown which one is the noun. Empty without such a word.
    """
    deed = _ASKED_DEED.match(question)
    if deed is not None and (verb := deed[1].casefold()) not in _AUXILIARIES:
        return [verb]
    if noun := _ASKED_NOUN.search(question):
        first, *others = noun[1].casefold().split()
        words = [] if first in _NO_NOUNS else [first, *others][-1:]
    else:
        other = _ASKED_ROLE.search(question) or _ASKED_PAIR.search(question)
        words = other[1].casefold().split() if other else []
    general = _GENERAL | lexicon().stop_words
    return [] if any({word, word[:-1]} & general for word in words) else words


def _has_like(
    words: Sequence[str], record: str, embedder: Embedder | None, least: float = _ALIKE
) -> bool:
    """Return whether a record has one of some words, or one like it, as an embedder finds it."""
    record = _NURSE.sub("nurse", _DOCTOR.sub("doctor", record))
    wanted = content_stems(" ".join(words))
    if not wanted or set(wanted) & set(content_stems(record)):
        return True
    known = _words(record) if embedder is not None else ()
    if embedder is None or not known:
        return False
    return float(cosines(embedder, words, known).max()) >= least


def _words(record: str) -> Sequence[str]:
    """Return the distinct content words of a record, without tokens."""
    stop = lexicon().stop_words
    found = re.findall(r"[^\W\d_]{3,}", TOKEN.sub(" ", record).casefold())
    return [word for word in dict.fromkeys(found) if word not in stop]
