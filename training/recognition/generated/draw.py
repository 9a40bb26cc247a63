"""Random choices of a corpus, all from one seeded generator."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import TypeVar

from faker import Generator
from faker.factory import Factory

from sage_rag.training.recognition.generated.words import words

T = TypeVar("T")

ENGLISH = ("en_US", "en_GB", "en_IE", "en_AU", "en_CA", "en_NZ")
LOCALES = (
    "en_US en_GB en_IE en_IN en_NZ en_NG en_KE en_PK en_TH de_DE de_AT de_CH fr_FR fr_CH fr_BE "
    "fr_CA es_ES es_MX es_CO es_AR es_CL es_CA it_IT pt_BR pt_PT nl_NL nl_BE pl_PL cs_CZ sk_SK "
    "sl_SI hr_HR hu_HU ro_RO tr_TR az_AZ sv_SE no_NO da_DK fi_FI is_IS et_EE lv_LV lt_LT id_ID "
    "vi_VN yo_NG ha_NG ig_NG tw_GH zu_ZA ga_IE uz_UZ sw"
).split()
"""Faker's locales whose names are written in Latin letters."""
PLACES = (
    "en_US en_GB en_IE en_IN en_NZ en_AU en_CA en_PH de_DE de_AT de_CH fr_FR fr_CH fr_CA es_ES "
    "es_MX es_CO es_AR es_CL pt_BR pt_PT nl_NL nl_BE pl_PL cs_CZ sk_SK sl_SI hr_HR hu_HU ro_RO "
    "sv_SE no_NO da_DK fi_FI id_ID vi_VN fil_PH zu_ZA en_BD"
).split()
"""Locales with addresses of their own; the others use those of en_US. Without it_IT, which draws
towns from a set, so that processes would differ."""


@cache
def _generator(locale: str) -> Generator:
    return Factory.create(locale)


class Draw:
    """Choices from one seed; two instances share no state."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - not a secret

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self.random.random() * len(options))]

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def between(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`, both included."""
        return low + int(self.random.random() * (high - low + 1))

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        return self.random.choices(options, weights)[0]

    def word(self, table: str, key: str) -> str:
        return self.pick(words(table, key))

    def letters(self, count: int, alphabet: str = "ABCDEFGHJKLMNPRSTUVWXYZ") -> str:
        return "".join(self.pick(alphabet) for _ in range(count))

    def digits(self, count: int) -> str:
        return self.letters(count, "0123456789")

    def faker(self, method: str, locales: Sequence[str]) -> str:
        """Call one of Faker's methods for a locale drawn from `locales`."""
        generator = _generator(self.pick(locales))
        # The process shares the generators, so each call sets the caller's source of chance.
        generator.random = self.random
        return str(getattr(generator, method)()).strip()

    def coined(self) -> str:
        """Return a capitalised word of no language, which only form and context can identify."""
        heads = "b br c ch d dr f g gr h j k kl l m n p pr q r s sh st t th tr v w y z zh".split()
        hearts = "a e i o u ai ei ou ia ee".split()
        tails = ["", "n", "r", "s", "ov", "ski", "ez", "son", "l", "k", "m", "t", "ian", "idis"]
        count = self.pick((1, 2, 2, 2, 3))
        parts = [self.pick(heads) + self.pick(hearts) for _ in range(count)]
        return ("".join(parts) + self.pick(tails)).capitalize()
