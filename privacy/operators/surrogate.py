"""Choose surrogates: plausible values, the same for equal values in the whole corpus."""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.operators.ages import surrogate_age
from sage_rag.privacy.operators.dates import Calendar, shift
from sage_rag.privacy.operators.fictional import (
    surrogate_demographic,
    surrogate_location,
    surrogate_organization,
)
from sage_rag.privacy.operators.keyed import KeyedChoice
from sage_rag.privacy.operators.network import (
    surrogate_email,
    surrogate_ip,
    surrogate_mac,
    surrogate_url,
    surrogate_username,
)
from sage_rag.privacy.operators.numbers import (
    surrogate_card,
    surrogate_code,
    surrogate_iban,
    surrogate_national_id,
    surrogate_nhs,
    surrogate_ssn,
    surrogate_wallet,
)
from sage_rag.privacy.operators.people import surrogate_person
from sage_rag.privacy.operators.phones import surrogate_phone
from sage_rag.privacy.operators.quantities import surrogate_quantity
from sage_rag.privacy.operators.redact import redact
from sage_rag.privacy.people.gender import name_lists_fingerprint
from sage_rag.privacy.words import normalize

VERSION = 4
"""Raised with every change of the surrogate of a value under the same key."""

_DAYS = 365
_REMEMBERED = 1 << 16
_Choose = Callable[[str, KeyedChoice], str | None]
_CHOOSE: Mapping[EntityType, _Choose] = {
    EntityType.USERNAME: surrogate_username,
    EntityType.EMAIL_ADDRESS: surrogate_email,
    EntityType.PHONE_NUMBER: surrogate_phone,
    EntityType.URL: surrogate_url,
    EntityType.IP_ADDRESS: surrogate_ip,
    EntityType.MAC_ADDRESS: surrogate_mac,
    EntityType.CREDIT_CARD: surrogate_card,
    EntityType.IBAN_CODE: surrogate_iban,
    EntityType.BANK_ACCOUNT: surrogate_code,
    EntityType.CRYPTO: surrogate_wallet,
    EntityType.US_SSN: surrogate_ssn,
    EntityType.UK_NHS: surrogate_nhs,
    EntityType.NATIONAL_ID: surrogate_national_id,
    EntityType.PASSPORT: surrogate_code,
    EntityType.DRIVER_LICENSE: surrogate_code,
    EntityType.MEDICAL_LICENSE: surrogate_code,
    EntityType.MEDICAL_RECORD: surrogate_code,
    EntityType.CASE_NUMBER: surrogate_code,
    EntityType.VEHICLE: surrogate_code,
    EntityType.SECRET: surrogate_code,
    EntityType.ID: surrogate_code,
    EntityType.LOCATION: surrogate_location,
    EntityType.ORGANIZATION: surrogate_organization,
    EntityType.AGE: surrogate_age,
    EntityType.QUANTITY: surrogate_quantity,
    EntityType.SPECIAL_CATEGORY: surrogate_demographic,
    EntityType.DEMOGRAPHIC: surrogate_demographic,
}
SURROGATE_TYPES = frozenset({*_CHOOSE, EntityType.PERSON, EntityType.DATE_TIME})
"""The types that have surrogates. Miscellaneous names (a law, a ship) have none: no list of
substitutes fits their sentences."""


class Surrogates:
    """Choose the surrogates of one corpus by a key; nothing is stored.

    Guarantees: values of one type that are equal except for case, width and spacing get equal
    surrogates in every document and process. A surrogate never equals its value; where no other is
    found, the result is a redaction mark. Irreversible, even with the key, except by trying values.
    Without the key no one can compute the surrogate of a guessed value.
    Does not guarantee: that different values get different surrogates (`benchmarks/surrogates.py`
    counts: of 10,000 full names about 60 share theirs with another, of 10,000 North American phone
    numbers about 1,300, and 2,900 family names alone became about 2,100); that a surrogate belongs
    to no real person: it may be a real name, even of the corpus, and outside the ranges reserved
    for fiction a real number. Dates of a question move by another shift than those of a document.
    After the key is rotated, the whole corpus needs new surrogates.

    Source: Carrell et al. (2013), "Hiding in plain sight", JAMIA 20(2): surrogates also hide values
    that a recognizer misses.
    """

    def __init__(self, keyset: Keyset, corpus_id: str) -> None:
        self._keyset = keyset
        self._corpus = corpus_id.encode()
        self._choices: dict[EntityType, KeyedChoice] = {}
        self._remembered = lru_cache(_REMEMBERED)(self._choose)

    @cached_property
    def fingerprint(self) -> str:
        """A short name that changes with the key, the name lists or the version."""
        return f"{self._keyset.primary}/{name_lists_fingerprint()}/{VERSION}"

    def surrogate(self, value: str, entity_type: EntityType, calendar: Calendar) -> str:
        """Return the surrogate of a value; white space around it stays.

        Raises:
            KeysetError: where the keyset has no key for the type.
            ValueError: for a type without surrogates.
        """
        core = value.strip()
        if not core:
            return value
        before, after = value.split(core, 1)
        if entity_type is EntityType.DATE_TIME:
            new = shift(core, calendar)
        else:
            new = self._remembered(core, entity_type)
        if new is None or normalize(new) == normalize(core):
            new = redact(entity_type)
        return before + new + after

    def shift_days(self, text: str, most: int | None = None) -> int:
        """Return the shift of a document's dates: 1 to `most` days (default 365), either way.

        Derived from the document's text, so an edited document gets another shift. Not a whole
        number of weeks where `most` allows it, so that names of weekdays move, too.
        """
        choice = self._choice(EntityType.DATE_TIME)
        most = most or _DAYS
        days = [n for n in range(1, most + 1) if n % 7 or most < 7]
        drawn = choice.number(2 * len(days), "shift", text)
        return days[drawn // 2] * (1 if drawn % 2 else -1)

    def _choose(self, value: str, entity_type: EntityType) -> str | None:
        choice = self._choice(entity_type)
        if entity_type is EntityType.PERSON:
            return surrogate_person(value, choice)
        if entity_type not in _CHOOSE:
            raise ValueError(f"{entity_type} has no surrogates")
        return _CHOOSE[entity_type](unicodedata.normalize("NFKC", value), choice)

    def _choice(self, entity_type: EntityType) -> KeyedChoice:
        if entity_type not in self._choices:
            key = self._keyset.entity_key(
                self._keyset.primary, entity_type, purpose="surrogate", size_bytes=32
            )
            self._choices[entity_type] = KeyedChoice(hmac.digest(key, self._corpus, "sha256"))
        return self._choices[entity_type]
