"""The taxonomy of private values: entity types and their risk classes.

Names follow Presidio where it has one, so that its recognizers and annotations map directly;
`privacy.labels` maps other labels.
"""

from __future__ import annotations

from enum import StrEnum


class Identifiability(StrEnum):
    """How a value identifies a person."""

    DIRECT = "direct"
    """Identifies a person, or opens an account, alone: a name, a phone number, a password."""
    QUASI = "quasi"
    """Identifies in combination: an age, a date, a place."""
    SENSITIVE = "sensitive"
    """Harms a person it is linked to, and identifies in combination: descent, religion, a job."""
    TECHNICAL = "technical"
    """Not a value of a record: references, and text that imitates tokens."""


class EntityType(StrEnum):
    """The kind of a private value. The member's value is also the prefix of a token."""

    PERSON = "PERSON"
    USERNAME = "USERNAME"
    EMAIL_ADDRESS = "EMAIL_ADDRESS"
    PHONE_NUMBER = "PHONE_NUMBER"
    """Telephone and fax numbers."""
    URL = "URL"
    IP_ADDRESS = "IP_ADDRESS"
    MAC_ADDRESS = "MAC_ADDRESS"
    CREDIT_CARD = "CREDIT_CARD"
    IBAN_CODE = "IBAN_CODE"
    BANK_ACCOUNT = "BANK_ACCOUNT"
    """Account and routing numbers except IBANs."""
    CRYPTO = "CRYPTO"
    """Wallet addresses."""
    US_SSN = "US_SSN"
    UK_NHS = "UK_NHS"
    NATIONAL_ID = "NATIONAL_ID"
    """Personal and tax numbers of other states, such as the Chinese resident id."""
    PASSPORT = "PASSPORT"
    DRIVER_LICENSE = "DRIVER_LICENSE"
    MEDICAL_LICENSE = "MEDICAL_LICENSE"
    MEDICAL_RECORD = "MEDICAL_RECORD"
    """Numbers of a patient, a chart or a health plan's member."""
    CASE_NUMBER = "CASE_NUMBER"
    """Application, case, docket and file numbers of courts and offices."""
    VEHICLE = "VEHICLE"
    """Licence plates and vehicle identification numbers."""
    SECRET = "SECRET"  # noqa: S105 - the name of a kind, not a secret
    """API keys, access tokens and passwords."""
    ID = "ID"
    """Any other number or code that names one person, account, device or document."""
    LOCATION = "LOCATION"
    """Places and postal addresses."""
    ORGANIZATION = "ORGANIZATION"
    DATE_TIME = "DATE_TIME"
    AGE = "AGE"
    QUANTITY = "QUANTITY"
    """Amounts of money, measures and counts that describe a person or an event."""
    SPECIAL_CATEGORY = "SPECIAL_CATEGORY"
    """Religion, politics, descent, union membership, sexual orientation: GDPR, Article 9(1)."""
    DEMOGRAPHIC = "DEMOGRAPHIC"
    """Occupation, title, family role, and what else describes a person."""
    MISC = "MISC"
    """Other things that describe a person: a ship, a law, a work, an event."""
    SOURCE = "SOURCE"
    """The owner's id of a document: citations contain it encrypted."""
    LITERAL = "LITERAL"
    """Text that imitates a token or placeholder."""


TAGGED = (
    EntityType.PERSON,
    EntityType.LOCATION,
    EntityType.ORGANIZATION,
    EntityType.DATE_TIME,
    EntityType.AGE,
    EntityType.ID,
    EntityType.DEMOGRAPHIC,
    EntityType.QUANTITY,
    EntityType.MISC,
)
"""The types that a trained tagger finds by context, in the order of its outputs; patterns find the
others by their form. ID means any number or code here."""

_CLASSES = {
    Identifiability.QUASI: {
        EntityType.LOCATION,
        EntityType.ORGANIZATION,
        EntityType.DATE_TIME,
        EntityType.AGE,
        EntityType.QUANTITY,
        EntityType.MISC,
    },
    Identifiability.SENSITIVE: {EntityType.SPECIAL_CATEGORY, EntityType.DEMOGRAPHIC},
    Identifiability.TECHNICAL: {EntityType.SOURCE, EntityType.LITERAL},
}
_CLASS_OF = {entity_type: name for name, types in _CLASSES.items() for entity_type in types}


def identifiability(entity_type: EntityType) -> Identifiability:
    """Return the risk class of an entity type.

    Source: Pilán et al. (2022), arXiv 2202.00443, §3: direct and quasi-identifiers; sensitive:
    Regulation (EU) 2016/679 (GDPR), Article 9.
    """
    return _CLASS_OF.get(entity_type, Identifiability.DIRECT)
