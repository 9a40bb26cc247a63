"""Particulars: a person's phone number, registration or bill, which an index holds as tokens.

The words around such a value seldom repeat the question: "You can reach me on PHONE_NUMBER_[…]".
The type of the token says what it is; of numbers, the word next to it does: "claim ID_[…]".
English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sage_rag.common.sentences import sentence_spans
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.lookup import codes_of
from sage_rag.privacy.tokens import TOKEN, may_have_token

_NUMBERS = (
    *(EntityType.ID, EntityType.CASE_NUMBER, EntityType.MEDICAL_RECORD, EntityType.NATIONAL_ID),
    *(EntityType.BANK_ACCOUNT, EntityType.IBAN_CODE, EntityType.PASSPORT, EntityType.US_SSN),
    *(EntityType.UK_NHS, EntityType.DRIVER_LICENSE, EntityType.CREDIT_CARD),
)
_LONG_NUMBER = re.compile(r"\d(?:[ /-]?\d){5}|@")
"""A phone number or an e-mail address in clear."""
_PAID = re.compile(
    r"\b(?:paid|pays?|bill(?:ed)?|charged?|costs?|price|fees?|fine|rent|salary|wages?|owe[sd]?"
    r"|refund\w*|deposit|invoiced?)\b",
    re.IGNORECASE,
)


_ASKS_WHO = re.compile(
    r"\bwho(?:m|se)?\b|\b(?:which|what) (?:customer|client|patient|person|keeper|member|tenant"
    r"|owner|pupil|student|guest)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Particular:
    """What a question asks about a person.

    `types`: of tokens that can be it. `near`: what stands in a sentence with one; `None` for
    anything. `known`: the tokens of the question, which state nothing new.
    """

    types: frozenset[str]
    near: re.Pattern[str] | None = None
    known: frozenset[str] = frozenset()

    def is_in(self, text: str) -> bool:
        """Return whether a sentence has a token of these types that the question does not have."""
        return may_have_token(text) and any(
            match.group(1) in self.types and match.group() not in self.known
            for sentence in self._near(text)
            for match in TOKEN.finditer(sentence)
        )

    def is_in_clear(self, text: str) -> bool:
        """Return whether a sentence states it in digits: some policies keep such values."""
        bare = (TOKEN.sub(" ", sentence) for sentence in self._near(text))
        if self.near is None:
            return any(map(_LONG_NUMBER.search, bare))
        return any(char.isdigit() for sentence in bare for char in sentence)

    def _near(self, text: str) -> Iterator[str]:
        """Yield the sentences that can state it."""
        for start, end in sentence_spans(text):
            if self.near is None or self.near.search(text, start, end):
                yield text[start:end]


def _asks(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_PARTICULARS = (
    (
        _asks(r"\b(?:(?:tele)?phone|mobile|cell|fax)(?: phone)?(?: number| no\.?)?\b(?=\W*\Z| (?:of"
              r"|number|for|can)\b)"),
        Particular(frozenset({EntityType.PHONE_NUMBER})),
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


def particular_of(question: str) -> Particular | None:
    """Return what a question asks about a person; `None` if it is nothing of these kinds."""
    words = TOKEN.sub(" ", question)
    found = next((particular for asks, particular in _PARTICULARS if asks.search(words)), None)
    if found is None and (number := _NUMBER.search(words)) is not None:
        noun = number["of"].casefold()
        near = _asks(rf"\b(?:{noun}|{_SAME.get(noun, noun)})")
        found = Particular(frozenset(_NUMBERS), near)
    if found is None:
        return None
    return replace(found, known=frozenset(match.group() for match in TOKEN.finditer(question)))


def states_particular(question: str, text: str) -> bool:
    """Return whether a text holds what a question asks about a person."""
    found = particular_of(question)
    return found is not None and found.is_in(text)


def asks_who(question: str) -> bool:
    """Return whether a question asks for a person by a value: "who lives at ...?"."""
    has_value = TOKEN.search(question) or codes_of(question)
    return bool(has_value and _ASKS_WHO.search(question))
