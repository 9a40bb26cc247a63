"""How models spell aliases: the grammar of a text, and the type that a word stands for."""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import SequenceMatcher

from sage_rag.privacy.entities import EntityType

NAMED = frozenset({EntityType.PERSON, EntityType.LOCATION, EntityType.ORGANIZATION})
"""Types of which models write without brackets, in lower case and in other languages."""

_SIGN = r"[\s\\_:#.\-\u2010-\u2015\uff3f]"
_OPENS, _CLOSES = r"\[【［<{", r"\]】］>}"
_ORDERED = sorted(EntityType, key=len, reverse=True)
_TYPES = "|".join(kind.replace("_", f"{_SIGN}{{0,3}}") for kind in _ORDERED)
_CORE = rf"(?P<core>(?ai:{_TYPES}){_SIGN}{{0,3}}\d{{1,30}})"
_FOREIGN = r"(?P<foreign>[^\W\d_]{2,20}(?:\\?_[^\W\d_]{2,20})?\\?_\d{1,30})"
_INNER = rf"\\?(?P<opener>[{_OPENS}])\s{{0,2}}(?:(?:{_CORE}|{_FOREIGN})(?P<suffix>['’]?s)?"
_BARE_TYPES = "|".join(kind.replace("_", r"\\?_") for kind in _ORDERED)
_BARE = (
    r"(?<![A-Za-z0-9_])(?P<emphasis>_{0,3})(?P<bare>"
    rf"(?ai:{_BARE_TYPES})\\?_[0-9]{{1,30}}|(?:{'|'.join(sorted(NAMED))})[ -]?[0-9]{{1,30}})"
)
ALIAS = re.compile(
    rf"{_INNER})\s{{0,2}}\\?[{_CLOSES}]|{_BARE}(?P<plural>s)?(?=_{{0,3}}(?![A-Za-z0-9_]))"
)
"""An alias as models spell it: in other brackets or none, in lower case, with other signs, in
Markdown, as a plural, or with another word for its type."""
UNFINISHED = re.compile(
    rf"{_INNER}(?P<ended>\s{{0,2}}\\?)|(?P<begun>[A-Za-z]{{2,20}}(?:{_SIGN}{{1,3}}[A-Za-z]*){{0,2}}))\Z"
    rf"|{_BARE}\Z|(?<![A-Za-z0-9_])_{{0,3}}(?P<bare_begun>(?:{_BARE_TYPES})\\?_)\Z"
)
"""An alias that the end of a text cuts off, or may cut off."""
_BEGINNING = (
    rf"(?:\\?[{_OPENS}][^\[\]【】［］<>{{}}]{{0,80}}"
    rf"|(?:_{{0,3}}(?:{'|'.join(sorted(NAMED))})[ -][0-9]{{0,30}}s?_{{0,3}}|[A-Za-z0-9_\\]{{1,60}})"
    r"(?:['’]s?)?)"
)
TAIL = re.compile(rf"{_BEGINNING}\Z")
"""The end of a text that more text can make an alias, or another one."""
_TITLE = r"\b(?:Dr|Mrs?|Ms|Miss|Mx|Prof|Professor|Doctor|Nurse|Sister|Judge)\.?"
TITLED_ALIAS = re.compile(rf"(?P<title>{_TITLE}[ ])?(?:{ALIAS.pattern})")
"""An alias with the title before it, which goes with the name: "Dr. [PERSON_1]"."""
TITLED_TAIL = re.compile(rf"(?:{_TITLE}[ ]?)?{_BEGINNING}?\Z")

_JOINED = {kind.replace("_", ""): kind.value for kind in EntityType}
_PARTS = re.compile(rf"(.*?)({_SIGN}*)(\d+)", re.DOTALL)
_QUOTATION = frozenset("\"'`“”„‘’«»")
_POSSESSIVE = re.compile(r"['’]s(?![A-Za-z0-9_])")

_ALIKE = 0.8
"""Likeness above which a misspelt type, "PERSONNE" or "PERSN", stands for a type with the same
first letter."""
_WORDS = {
    EntityType.PERSON: "personne persona pessoa persoon osoba особа персона человек лицо henkilö"
    " személy persoană",
    EntityType.LOCATION: "place lieu localisation ort standort lugar ubicación localização luogo"
    " plaats locatie miejsce lokalizacja místo plats sted paikka hely locație место місце",
    EntityType.ORGANIZATION: "organisation organización organização organizzazione organisatie"
    " organizacja organizace organisaatio szervezet organizație организация організація",
}
_TRANSLATIONS = {word.upper(): kind for kind, words in _WORDS.items() for word in words.split()}
_ROLES = frozenset({"PATIENT", "DOCTOR", "CLIENT", "NAME"})
"""Words for a person that do not say which alias is meant."""


def spelt(core: str) -> tuple[str, str, int]:
    """Return the word of an alias, the signs after it, and its number."""
    parts = _PARTS.fullmatch(core)
    assert parts is not None  # noqa: S101 - each core of the grammar has a number
    return parts[1], parts[2], int(parts[3])


def as_type(word: str) -> str:
    """Return a word in the spelling of types."""
    name = re.sub(rf"{_SIGN}+", "_", word).strip("_").upper()
    return _JOINED.get(name, name)


def is_quoted(match: re.Match[str]) -> bool:
    """Return whether a quotation mark or backtick is next to a match, as around a name of code."""
    text, start, end = match.string, match.start(), match.end()
    ends = text[end : end + 1] in _QUOTATION and not _POSSESSIVE.match(text, end)
    return text[max(start - 1, 0) : start] in _QUOTATION or ends


def meant(word: str, kinds: Collection[str]) -> str | None:
    """Return the one of some types that another word stands for, or `None`.

    In lower case it stands for a named type only: it may be the text's own, such as `table`.
    """
    name = as_type(word)
    if (kind := _TRANSLATIONS.get(name)) in kinds:
        return kind
    candidates = kinds if word == word.upper() else NAMED.intersection(kinds)
    alike = [kind for kind in candidates if kind[0] == name[0] and _likeness(name, kind) > _ALIKE]
    return alike[0] if len(alike) == 1 else None


def is_role(word: str) -> bool:
    """Return whether a word means a person, but not which."""
    return as_type(word) in _ROLES


def _likeness(word: str, kind: str) -> float:
    return SequenceMatcher(None, word, kind, autojunk=False).ratio()
