"""What is blocked for a private value: the value itself, and other spellings of what it names.

The trie compares letters and digits, so case, spacing and punctuation need no spellings of their
own. Other orders do: `Smith, J.`, `May 12, 2011`, `1000 euros`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.wordlists import FUNCTION_WORDS, PARTICLES, TITLES
from sage_rag.training.controlled.codes import PrivateValue
from sage_rag.training.controlled.date_spellings import date_spellings
from sage_rag.training.controlled.meanings import meaning_of, meanings_in
from sage_rag.training.controlled.sum_spellings import sum_spellings
from sage_rag.training.controlled.value_trie import ValueTrie

_SHORT_TITLES = ("Mr", "Mrs", "Ms", "Dr")
"""Titles that a text may write without a space before the name."""
MIN_PART = 3
"""Letters of a part of a name that is blocked alone; the kernel's own limit for repetitions."""
_WORD = re.compile(r"[^\W\d_]+(?:['’`-][^\W\d_]+)*")
_POSSESSIVE = re.compile(r"['’`]s$")
_IN_TWO_LETTERS = str.maketrans(
    {letter: f"{base}e" for letter, base in zip("äöøüÄÖØÜ", "aoouAOOU", strict=True)}
    | {"å": "aa", "Å": "Aa"}
)


class SpelledValues(ValueTrie):
    """Private values in all their spellings.

    Guarantees: `found_in` also finds a date or a sum in every notation that patterns read.
    """

    def __init__(self, values: Sequence[PrivateValue]) -> None:
        super().__init__(spellings(values))
        self._meanings = frozenset(m for value in values if (m := meaning_of(value.text)))

    def found_in(self, text: str) -> bool:
        """Return whether a text contains one of the values, as spelled or by its meaning."""
        return super().found_in(text) or not self._meanings.isdisjoint(meanings_in(text))


def spellings(values: Sequence[PrivateValue]) -> Iterator[str]:
    """Yield what is blocked for some values, by their types.

    Guarantees: every value is blocked as it is written, and with `ae` for `ä`; a person also by
    each part of the name, with the endings `s` and `'s`.
    Does not guarantee: initials alone (`J. S.`), numbers in words, months in other languages than
    English and the value's own.
    """
    for value in values:
        if value.text.strip() in FUNCTION_WORDS:
            continue
        for text in (value.text, *_others(value)):
            yield text
            composed = unicodedata.normalize("NFC", text)
            if (written := composed.translate(_IN_TWO_LETTERS)) != composed:
                yield written


def _others(value: PrivateValue) -> Iterator[str]:
    if value.entity_type is EntityType.PERSON:
        yield from name_spellings(value.text)
    elif value.entity_type is EntityType.DATE_TIME:
        yield from date_spellings(value.text)
    elif value.entity_type is EntityType.QUANTITY:
        yield from sum_spellings(value.text)


def name_spellings(name: str) -> Iterator[str]:
    """Yield what names a person alone: `Hasslund` for `Mr Henrik Hasslund`.

    That is the name without its titles, and each part of three letters or more. A part of two
    letters is a word of many languages, so it is blocked with a title, an initial or another part:
    `Mr Wu`, `Wu, J.`. Titles, particles and single function words are not blocked.
    """
    words = [_POSSESSIVE.sub("", word.group()) for word in _WORD.finditer(name)]
    names = [word for word in words if word.casefold() not in TITLES]
    if sum(map(len, names)) >= MIN_PART:
        yield " ".join(names)
        yield " ".join((*names[-1:], *names[:-1]))
    own = [name for name in names if name[0].isupper() and name.lower() not in PARTICLES]
    for place, part in enumerate(own):
        if len(part) >= MIN_PART:
            yield from (part, f"{part}s")
            yield from (f"{title}{part}" for title in _SHORT_TITLES)
            yield from (half for half in part.split("-") if MIN_PART <= len(half) < len(part))
        elif len(part) > 1:
            yield from _around(part, own[:place] + own[place + 1 :])


def _around(part: str, others: list[str]) -> Iterator[str]:
    """Yield a short part with what shows that it is a name."""
    yield from (f"{title} {part}" for title in TITLES)
    initials = " ".join(other[0] for other in others)
    for other in {initials, *(other[0] for other in others), *others} - {""}:
        yield f"{other} {part}"
        yield f"{part} {other}"
