"""The taxonomy of private values: one name per kind, one class per risk.

Names follow Presidio where it has one, so that outside recognizers and annotations map directly.
"""

from __future__ import annotations

from enum import StrEnum


class Identifiability(StrEnum):
    """How a value points at a person."""

    DIRECT = "direct"
    """Identifies alone: a name, a phone number, a record number."""
    QUASI = "quasi"
    """Identifies in combination: an age, a date, a place."""
    TECHNICAL = "technical"
    """No value of a record: references and look-alikes that travel as tokens."""


class EntityType(StrEnum):
    """What kind of value a span holds. The value is also the token's prefix."""

    PERSON = "PERSON"
    LOCATION = "LOCATION"
    ORGANIZATION = "ORGANIZATION"
    EMAIL_ADDRESS = "EMAIL_ADDRESS"
    PHONE_NUMBER = "PHONE_NUMBER"
    URL = "URL"
    IP_ADDRESS = "IP_ADDRESS"
    MAC_ADDRESS = "MAC_ADDRESS"
    CREDIT_CARD = "CREDIT_CARD"
    IBAN_CODE = "IBAN_CODE"
    US_SSN = "US_SSN"
    UK_NHS = "UK_NHS"
    ID = "ID"
    """Record, case, account, policy and passport numbers introduced by a word that says so."""
    DATE_TIME = "DATE_TIME"
    AGE = "AGE"
    SOURCE = "SOURCE"
    """The owner's own name for a document: citations carry it encrypted."""
    LITERAL = "LITERAL"
    """Text that only looks like one of our tokens or placeholders."""


_QUASI = {EntityType.LOCATION, EntityType.ORGANIZATION, EntityType.DATE_TIME, EntityType.AGE}
_TECHNICAL = {EntityType.SOURCE, EntityType.LITERAL}


def identifiability(entity_type: EntityType) -> Identifiability:
    """Return the risk class of an entity type.

    Source: Pilán et al. (2022), arXiv 2202.00443, §3: direct and quasi-identifiers.
    """
    if entity_type in _TECHNICAL:
        return Identifiability.TECHNICAL
    return Identifiability.QUASI if entity_type in _QUASI else Identifiability.DIRECT
