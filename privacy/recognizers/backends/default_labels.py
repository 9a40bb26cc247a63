"""The labels in plain words by which models are asked for private values."""

from __future__ import annotations

from collections.abc import Mapping

from sage_rag.privacy.entities import EntityType

DEFAULT_LABELS: Mapping[str, EntityType] = {
    "person name": EntityType.PERSON,
    "user name": EntityType.USERNAME,
    "email address": EntityType.EMAIL_ADDRESS,
    "phone number": EntityType.PHONE_NUMBER,
    "credit card number": EntityType.CREDIT_CARD,
    "bank account number": EntityType.BANK_ACCOUNT,
    "social security number": EntityType.US_SSN,
    "national identity number": EntityType.NATIONAL_ID,
    "passport number": EntityType.PASSPORT,
    "driver's license number": EntityType.DRIVER_LICENSE,
    "medical license number": EntityType.MEDICAL_LICENSE,
    "medical record number": EntityType.MEDICAL_RECORD,
    "case number": EntityType.CASE_NUMBER,
    "vehicle registration number": EntityType.VEHICLE,
    "password or key": EntityType.SECRET,
    "other identification number": EntityType.ID,
    "address": EntityType.LOCATION,
    "place": EntityType.LOCATION,
    "organization": EntityType.ORGANIZATION,
    "date": EntityType.DATE_TIME,
    "age": EntityType.AGE,
    "nationality": EntityType.SPECIAL_CATEGORY,
    "religion": EntityType.SPECIAL_CATEGORY,
    "occupation": EntityType.DEMOGRAPHIC,
}
"""Without the types that the patterns find by form alone: IP addresses, IBANs, wallets."""
