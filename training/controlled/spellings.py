"""What is blocked for a private value: the value itself, and other spellings of what it names.

The trie compares letters and digits, so case, spacing and punctuation need no spellings of their
own. Other orders do: `Smith, J.`, `May 12, 2011`, `1000 euros`.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.wordlists import FUNCTION_WORDS, PARTICLES, TITLES
from sage_rag.training.controlled.codes import CodeType, PrivateValue, code_type_of
from sage_rag.training.controlled.date_spellings import date_spellings
from sage_rag.training.controlled.meanings import meaning_of, meanings_in
from sage_rag.training.controlled.number_words import number_spellings
from sage_rag.training.controlled.sum_spellings import sum_spellings
from sage_rag.training.controlled.value_trie import ValueTrie

_SHORT_TITLES = ("Mr", "Mrs", "Ms", "Dr")
"""Titles that a text may write without a space before the name."""
MIN_PART = 3
"""Letters of a part of a name that is blocked alone; the kernel's own limit for repetitions."""
_WORD = re.compile(r"[^\W\d_]+(?:['’`-][^\W\d_]+)*")
_LEGAL_FORMS = frozenset(
    "ltd limited inc incorporated llc llp plc corp gmbh ag kg sa srl spa bv nv oy ab".split()
)
_COUNTRY = re.compile(r"(?:\+|00)(\d{1,3})[ .(/-]+(?=\d)")
_POSSESSIVE = re.compile(r"['’`]s$")
_IN_TWO_LETTERS = str.maketrans(
    {letter: f"{base}e" for letter, base in zip("äöøüÄÖØÜ", "aoouAOOU", strict=True)}
    | {"å": "aa", "Å": "Aa"}
)


class SpelledValues(ValueTrie):
    """Private values in all their spellings.

    Guarantees: `found_in` also finds a date or a sum in every notation that patterns read, and a
    value with entities of HTML (`O&#39;Neil`).
    """

    def __init__(self, values: Sequence[PrivateValue]) -> None:
        super().__init__(spellings(values))
        self._meanings = frozenset(m for value in values if (m := meaning_of(value.text)))

    def found_in(self, text: str) -> bool:
        """Return whether a text contains one of the values, as spelled or by its meaning."""
        shown = {text, html.unescape(text)}
        return any(map(super().found_in, shown)) or any(
            not self._meanings.isdisjoint(meanings_in(form)) for form in shown
        )


def spellings(values: Sequence[PrivateValue]) -> Iterator[str]:
    """Yield what is blocked for some values, by their types.

    Guarantees: every value is blocked as it is written, and with `ae` for `ä`; a person also by
    each part of the name; a name or a word also in the plural; a number up to 99 with a word after
    it also in words.
    Does not guarantee: initials alone (`J. S.`), months in other languages than English and the
    value's own, a part of a value that is no name (`May 2011` of `12 May 2011`).
    """
    for value in values:
        written_out = html.unescape(value.text)
        if written_out.strip() in FUNCTION_WORDS:
            continue
        for text in (written_out, *_others(replace(value, text=written_out))):
            yield text
            composed = unicodedata.normalize("NFC", text)
            if (written := composed.translate(_IN_TWO_LETTERS)) != composed:
                yield written


def _others(value: PrivateValue) -> Iterator[str]:
    text = value.text
    if value.entity_type is EntityType.PERSON:
        yield from name_spellings(text)
    elif value.entity_type is EntityType.EMAIL_ADDRESS:
        yield text.replace("@", " at ")
        yield text.replace("@", " at ").replace(".", " dot ")
    elif value.entity_type is EntityType.PHONE_NUMBER:
        yield from _phone_spellings(text)
    elif code_type_of(value.entity_type) is not CodeType.CODE:
        yield from number_spellings(text)
        if len(text) >= MIN_PART and text[-1].isalpha():
            yield f"{text}s"
    if value.entity_type is EntityType.DATE_TIME:
        yield from date_spellings(text)
    elif value.entity_type is EntityType.QUANTITY:
        yield from sum_spellings(text)
    elif value.entity_type is EntityType.ORGANIZATION:
        yield from _without_legal_form(text)


def _phone_spellings(number: str) -> Iterator[str]:
    """Yield a number from abroad and at home, where its country code is set apart."""
    if number.startswith("+"):
        yield f"00{number[1:]}"
    if match := _COUNTRY.match(number):
        yield f"0{number[match.end() :].removeprefix('0)')}"
        yield f"{match[1]}{number[match.end() :]}"


def _without_legal_form(name: str) -> Iterator[str]:
    """Yield `Acme Steel` for `Acme Steel Ltd`; one word alone is too often an ordinary one."""
    words = name.split()
    while words and words[-1].replace(".", "").strip(",").casefold() in _LEGAL_FORMS:
        words.pop()
    own = [word for word in words if word.casefold() not in FUNCTION_WORDS]
    if len(own) > 1 and len(words) < len(name.split()):
        yield " ".join(words)


def name_spellings(name: str) -> Iterator[str]:
    """Yield what names a person alone: `Hasslund` for `Mr Henrik Hasslund`.

    That is the name without its titles, and each part of three letters or more. A part of two
    letters is a word of many languages, so it is blocked with a title, an initial or another part:
    `Mr Wu`, `Wu, J.`. Titles, particles and single function words are not blocked.
    """
    words = [_POSSESSIVE.sub("", word.group()) for word in _WORD.finditer(name)]
    names = [word for word in words if word.casefold() not in TITLES]
    if words[:1] in (["Mr"], ["MR"]):
        yield " ".join(("Mister", *names))
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
