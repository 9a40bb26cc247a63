"""Particulars: a person's phone number, registration or bill, which an index holds as tokens.

The words around such a value seldom repeat the question: "You can reach me on PHONE_NUMBER_[…]".
The type of the token says what it is; of numbers, the word next to it does: "claim ID_[…]".
English.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from sage_rag.common.sentences import sentence_spans
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.lookup import NAMED_TYPES, codes_of
from sage_rag.privacy.tokens import TOKEN, may_have_token, token_type, tokens_in

_NUMBERS = (
    *(EntityType.ID, EntityType.CASE_NUMBER, EntityType.MEDICAL_RECORD, EntityType.NATIONAL_ID),
    *(EntityType.BANK_ACCOUNT, EntityType.IBAN_CODE, EntityType.PASSPORT, EntityType.US_SSN),
    *(EntityType.UK_NHS, EntityType.DRIVER_LICENSE, EntityType.CREDIT_CARD),
)
_LONG_NUMBER = re.compile(r"\d(?:[ /-]?\d){5,}|@\S*")
"""A phone number, or the end of an e-mail address, in clear."""
_DIGITS = re.compile(r"\d[\d/-]*")
_PAID = re.compile(
    r"\b(?:paid|pays?|bill(?:ed)?|charged?|costs?|price|fees?|fine|rent|salary|wages?|owe[sd]?"
    r"|refund\w*|deposit|invoiced?)\b",
    re.IGNORECASE,
)


_KINDS = ("she", "he")
_CALLS = re.compile(r"(?:(?P<she>she|her)|(?P<he>he|his|him))\b", re.IGNORECASE)
"""How a sentence begins that is about whom the one before it calls so."""
_ASKS_WHO = re.compile(
    r"\bwho(?:m|se)?\b|\b(?:which|what) (?:customer|client|patient|person|keeper|member|tenant"
    r"|owner|pupil|student|guest)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Particular:
    """What a question asks about a person.

    `types`: of tokens that can be it. `near`: what stands in a sentence with one; `None` for
    anything. `known`: the tokens of the question, which state nothing new. `owners`: the tokens
    that mean the person; empty where anyone's value answers.
    """

    types: frozenset[str]
    near: re.Pattern[str] | None = None
    known: frozenset[str] = frozenset()
    owners: frozenset[str] = frozenset()

    def is_in(self, text: str) -> bool:
        """Return whether a text has a token of these types that the question does not have."""
        return may_have_token(text) and any(
            TOKEN.fullmatch(value) for value, _ in self.values_in(text)
        )

    def values_in(self, record: str) -> Iterator[tuple[str, bool]]:
        """Yield each token, or number in clear, that can be it, and whether it is the person's.

        It is in a sentence that names the person, and where no one else is named last before it. A
        value before all names belongs to the first one. "Her number is ..." is of whom the
        sentences before it call "she", and of no one else whom they name.
        """
        tokens = list(TOKEN.finditer(record))
        names = [match for match in tokens if self._is_name(match)] if self.owners else []
        places = [match.start() for match in names]
        bare = TOKEN.sub(lambda match: " " * len(match.group()), record)
        clear = _LONG_NUMBER if self.near is None else _DIGITS
        first = names[0] if names else None
        last: dict[str, re.Match[str]] = {}
        for start, end in sentence_spans(record):
            here = names[bisect_left(places, start) : bisect_left(places, end)]
            calls = _CALLS.match(record, start)
            kind = calls.lastgroup or "" if calls else ""
            if self.near is None or self.near.search(record, start, end):
                named = any(match.group() in self.owners for match in here)
                stated = [m for m in TOKEN.finditer(record, start, end) if self._is_new(m)]
                for match in (*stated, *clear.finditer(bare, start, end)):
                    before = bisect_left(places, match.start()) - bisect_left(places, start)
                    owner = here[before - 1] if before else last.get(kind, first)
                    yield match.group(), named or owner is None or owner.group() in self.owners
            for other in ("", *_KINDS) if here else ():
                if not kind or other != kind:
                    last[other] = here[-1]

    def _is_new(self, match: re.Match[str]) -> bool:
        return match.group(1) in self.types and match.group() not in self.known

    def _is_name(self, match: re.Match[str]) -> bool:
        """Return whether a token names someone: the index may have the asked person as a place."""
        return match.group(1) == EntityType.PERSON or match.group() in self.owners


def _asks(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_PHONE = frozenset({EntityType.PHONE_NUMBER})
_PARTICULARS = (
    (
        _asks(r"\b(?:(?:tele)?phone|mobile|cell|fax)(?: phone)?(?: number| no\.?)?\b(?=\W*\Z| (?:of"
              r"|number|for|can)\b)"),
        Particular(_PHONE),
    ),
    *(
        (_asks(rf"\b{line} (?:number|no\b)"), Particular(_PHONE, _asks(rf"\b{line}\b")))
        for line in ("work", "home", "office", "business")
    ),
    (
        _asks(r"\be-?mail(?: address)?\b(?=\W*\Z| (?:of|address|for|can)\b)"),
        Particular(frozenset({EntityType.EMAIL_ADDRESS})),
    ),
    (
        _asks(r"\b(?:registration|(?:number|licen[cs]e) plate)\b"),
        Particular(frozenset({EntityType.VEHICLE, EntityType.ID})),
    ),
    (
        # The first "how much" of a part decides: to look behind each of them takes square time.
        _asks(r"(?:\A|\?)(?:(?>[^?]*?\bhow much\b)[^?]*"
              r"\b(?:pa(?:y|id|ys)|charged?|costs?|owe[sd]?|due|bill(?:ed)?)\b"
              r"|(?>[^?]*?\bwhat\b)[^?]*\b(?:pay|paid|cost|charged)\b)"),
        Particular(frozenset({EntityType.QUANTITY}), _PAID),
    ),
)  # fmt: skip
_NUMBER = _asks(
    r"\b(?P<of>account|tenancy|policy|file|case|chart|record|ref(?=erence)|member(?=ship|\b)|invoice"
    r"|order|customer|client|patient|contract|insurance|passport|licen[cs]e|claim|frame|serial"
    r"|chassis|certificate|receipt|confirmation|permit|sample|batch|ticket|booking)\w*"
    r" (?:number|no\b|id\b|code)"
)
_ANY_NUMBER = Particular(frozenset(_NUMBERS))
_SAME = {"policy": "insurance", "insurance": "policy", "licence": "license", "license": "licence"}
"""Words that a record and a question use for the same number."""


def has_particular(text: str) -> bool:
    """Return whether a text has a token of someone's number, address or amount."""
    return any(found.is_in(text) for found in (_ANY_NUMBER, *(found for _, found in _PARTICULARS)))


def particular_of(question: str, names: Collection[str] = ()) -> Particular | None:
    """Return what a question asks about a person; `None` if it is nothing of these kinds.

    `names`: the tokens that the names of the question may mean, besides its own.
    """
    words = TOKEN.sub(" ", question)
    found = next((particular for asks, particular in _PARTICULARS if asks.search(words)), None)
    if found is None and (number := _NUMBER.search(words)) is not None:
        noun = number["of"].casefold()
        near = _asks(rf"\b(?:{noun}|{_SAME.get(noun, noun)})")
        found = Particular(frozenset(_NUMBERS), near)
    if found is None:
        return None
    known = frozenset(tokens_in(question))
    # A bill is of the record: "The son of ... broke the key. She paid ...".
    owners = frozenset() if EntityType.QUANTITY in found.types else _owners({*known, *names})
    return replace(found, known=known, owners=owners)


def _owners(tokens: Collection[str]) -> frozenset[str]:
    """Return the tokens of names, if one is a person's: the index may have others as places."""
    types = {token: token_type(token) for token in tokens}
    if EntityType.PERSON not in types.values():
        return frozenset()
    return frozenset(token for token, found in types.items() if found in NAMED_TYPES)


def states_particular(question: str, text: str, names: Collection[str] = ()) -> bool:
    """Return whether a text holds what a question asks about a person, as the person's own.

    `names`: as in `particular_of`.
    """
    return any(is_own for _, is_own in _tokens_asked(question, text, names))


def particulars_asked(question: str, records: Iterable[str], names: Collection[str]) -> set[str]:
    """Return the tokens of records that a question asks for: the person's own, if there are any.

    `names`: as in `particular_of`.
    """
    found = {t for record in records for t in _tokens_asked(question, record, names)}
    own = {token for token, is_own in found if is_own}
    return own or {token for token, _ in found}


def _tokens_asked(question: str, record: str, names: Collection[str]) -> Iterator[tuple[str, bool]]:
    found = particular_of(question, names) if may_have_token(record) else None
    if found is not None:
        yield from (t for t in found.values_in(record) if TOKEN.fullmatch(t[0]))


def asks_who(question: str) -> bool:
    """Return whether a question asks for a person by a value: "who lives at ...?"."""
    has_value = TOKEN.search(question) or codes_of(question)
    return bool(has_value and _ASKS_WHO.search(question))
