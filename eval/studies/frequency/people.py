"""Invented records of people with census-like names, and questions about them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from faker.providers.person.en_US import Provider

_RECORDS_PER_DOCTOR = 40
_COMPLAINTS = (
    "a cough at night", "pain in the knee", "a rash on both arms", "poor sleep", "dizzy spells",
    "a sore throat", "numb fingers", "heartburn after meals", "a stiff neck", "blurred sight",
)  # fmt: skip
_REMEDIES = (
    "rest and plenty to drink", "a cream twice a day", "stretching every morning", "a blood test",
    "an X-ray next week", "a lower dose", "a week without coffee", "drops before bed",
)  # fmt: skip


def given_names() -> Mapping[str, float]:
    """Return given names of the United States with their weights."""
    return dict(Provider.first_names)


def family_names() -> Mapping[str, float]:
    """Return the thousand most frequent family names of the United States with their weights."""
    return dict(Provider.last_names)


@dataclass(frozen=True, slots=True)
class Patient:
    """One record: a patient's name, the doctor, the complaint, and a text that holds all three."""

    name: tuple[str, str]
    doctor: tuple[str, str]
    complaint: str
    text: str

    @property
    def names(self) -> tuple[str, str]:
        """The full names of patient and doctor."""
        return " ".join(self.name), " ".join(self.doctor)


def patients(count: int, seed: int) -> list[Patient]:
    """Invent records. Names are drawn by weight; about forty patients share a doctor."""
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    doctors = _people(max(1, count // _RECORDS_PER_DOCTOR), chance)
    return [_patient(name, chance.choice(doctors), chance) for name in _people(count, chance)]


def _people(count: int, chance: random.Random) -> Sequence[tuple[str, str]]:
    given, family = given_names(), family_names()
    firsts = chance.choices(list(given), list(given.values()), k=count)
    lasts = chance.choices(list(family), list(family.values()), k=count)
    return list(zip(firsts, lasts, strict=True))


def _patient(name: tuple[str, str], doctor: tuple[str, str], chance: random.Random) -> Patient:
    complaint, remedy = chance.choice(_COMPLAINTS), chance.choice(_REMEDIES)
    text = (
        f"My name is {' '.join(name)} and I have had {complaint} for {chance.randint(2, 20)} "
        f"weeks. Dr. {' '.join(doctor)} advised {remedy}."
    )
    return Patient(name, doctor, complaint, text)
