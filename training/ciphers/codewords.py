"""The codes of the codebook: two words, each one a single token of certain language models."""

from __future__ import annotations

import hashlib
import hmac
from functools import lru_cache
from importlib import resources

from sage_rag.privacy.ciphers.faults import value_bytes
from sage_rag.privacy.entities import EntityType

CODEWORDS_FILE = "codewords.txt"

_NUMBERS = (
    *(EntityType.ID, EntityType.CREDIT_CARD, EntityType.IBAN_CODE, EntityType.BANK_ACCOUNT),
    *(EntityType.US_SSN, EntityType.UK_NHS, EntityType.NATIONAL_ID, EntityType.DRIVER_LICENSE),
    *(EntityType.MEDICAL_LICENSE, EntityType.MEDICAL_RECORD, EntityType.VEHICLE),
)
_OTHERS = (EntityType.MISC, EntityType.ORGANIZATION, EntityType.DEMOGRAPHIC)
_FAMILIES = {member: kin for kin in (_NUMBERS, _OTHERS) for member in kin}


def displayed_type(entity_type: EntityType) -> EntityType:
    """Return the type that a pseudonym shows.

    `MEDICAL_RECORD` is four tokens of Llama-3, `ID` is one. Types whose names are three or more
    tokens show the name of their family; the first word identifies the type.
    """
    return _FAMILIES.get(entity_type, (entity_type,))[0]


@lru_cache
def family(shown: EntityType) -> tuple[EntityType, ...]:
    """Return the types that are shown under this name."""
    return tuple(t for t in EntityType if displayed_type(t) == shown)


@lru_cache(maxsize=1)
def word_lists() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the first and the second words, each sorted and without repetition."""
    text = resources.files(__package__).joinpath(CODEWORDS_FILE).read_text("ascii")
    first, second = (tuple(line.split()) for line in text.splitlines())
    return first, second


@lru_cache
def first_words(entity_type: EntityType) -> tuple[str, ...]:
    """Return the first words of one type: types of one family share none."""
    kin = family(displayed_type(entity_type))
    return word_lists()[0][kin.index(entity_type) :: len(kin)]


def type_of_code(code: str, shown: EntityType) -> EntityType | None:
    """Return the type of a code, or `None` for text that is not a code."""
    first, _, second = code.partition("_")
    place, known = _places().get(first), second in _seconds()
    kin = family(shown)
    return kin[place % len(kin)] if place is not None and known and kin else None


@lru_cache(maxsize=1)
def _places() -> dict[str, int]:
    return {word: place for place, word in enumerate(word_lists()[0])}


@lru_cache(maxsize=1)
def _seconds() -> frozenset[str]:
    return frozenset(word_lists()[1])


def code_count(entity_type: EntityType) -> int:
    """Return the number of codes of a type."""
    return len(first_words(entity_type)) * len(word_lists()[1])


def draw_code(key: bytes, value: str, attempt: int, entity_type: EntityType) -> str:
    """Return the code that a key draws for a value: `river_oak`.

    Without the key, all codes of the type are equally likely. `attempt`: 0, then 1 and so on while
    the code is taken.
    """
    digest = hmac.digest(key, attempt.to_bytes(4, "big") + value_bytes(value), hashlib.sha256)
    # 128 bits over at most 24: the bias of the remainder is below 2**-104.
    number = int.from_bytes(digest[:16], "big") % code_count(entity_type)
    second = word_lists()[1]
    return f"{first_words(entity_type)[number // len(second)]}_{second[number % len(second)]}"
