"""Surrogate names of people, chosen part by part: "Ms Keller" gets the name of "Maria Keller"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from sage_rag.privacy.operators.keyed import KeyedChoice, Ring, like
from sage_rag.privacy.people.gender import faker_names, gender_of, is_given_name
from sage_rag.privacy.people.names import Gender
from sage_rag.privacy.recognizers.wordlists import PARTICLES, TITLES
from sage_rag.privacy.words import normalize

_LATIN = tuple("en en_US en_GB en_IE de_DE de_AT fr_FR es_ES it_IT nl_NL sv_SE da_DK".split())
"""Locales whose names a reader of English recognises as names."""
_SCRIPTS = (
    (re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]"), ("zh_CN",)),
    (re.compile(r"[\uac00-\ud7af]"), ("ko_KR",)),
    (re.compile(r"[\u0400-\u04ff]"), ("ru_RU",)),
    (re.compile(r"[\u0370-\u03ff]"), ("el_GR",)),
    (re.compile(r"[\u0590-\u05ff]"), ("he_IL",)),
    (re.compile(r"[\u0600-\u06ff]"), ("ar_SA",)),
    (re.compile(r"[\u0900-\u097f]"), ("hi_IN",)),
)
_UNSPACED = frozenset({"zh_CN", "ko_KR"})
_SUFFIXES = frozenset("jr junior sr senior ii iii iv md phd esq".split())
_LETTER = r"(?:[^\W\d_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094f])"
_WORD = re.compile(rf"(?<!['’`](?=[sS]\b)){_LETTER}+(?:['’`](?![sS]\b){_LETTER}+)*")
"""A word of a name, without the "s" of a possessive ending."""
_UNKNOWN = "someone"


class _Role(StrEnum):
    GIVEN = "given"
    FAMILY = "family"
    INITIAL = "initial"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class _Pools:
    """Names of one script to choose from."""

    given: dict[Gender | None, Ring]
    family: Ring


def surrogate_person(value: str, choice: KeyedChoice) -> str:
    """Return another name of the same shape: same parts, gender, titles and case style.

    Each part is chosen separately, without regard to case and width, so equal parts stay equal in
    the whole corpus. Titles, particles ("van der") and suffixes ("Jr") stay. A value without
    letters becomes `someone`.

    Does not guarantee: that different parts become different names; that a single word which is
    both a given and a family name ("James") has the same role everywhere.
    """
    locales = _script(value)
    if locales[0] in _UNSPACED:
        return _unspaced(value, locales, choice)
    words = list(_WORD.finditer(value))
    roles = _roles(value, words)
    if all(role is _Role.KEPT for role in roles):
        return _UNKNOWN
    pools = _pools(locales)
    parts, position = [], 0
    for match, role in zip(words, roles, strict=True):
        parts += [value[position : match.start()], _part(match.group(), role, pools, choice)]
        position = match.end()
    return re.sub(r"\d", lambda m: _digit(m, value, choice), "".join([*parts, value[position:]]))


def pick_given(choice: KeyedChoice, value: str, gender: Gender | None = None) -> str:
    """Return a given name in Latin letters for any value."""
    return _pools(_LATIN).given[gender].pick(choice.digest("given", normalize(value)), value)


def pick_family(choice: KeyedChoice, value: str) -> str:
    """Return a family name in Latin letters for any value."""
    return _pools(_LATIN).family.pick(choice.digest("family", normalize(value)), value)


def _part(word: str, role: _Role, pools: _Pools, choice: KeyedChoice) -> str:
    if role is _Role.KEPT:
        return word
    name = normalize(word)
    if role is _Role.INITIAL:
        step = 1 + choice.number(25, "initial", name)
        letter = chr((ord(name[0]) - ord("a") + step) % 26 + ord("a")) if name.isascii() else "x"
        return letter.upper() if word.isupper() else letter
    ring = pools.given[gender_of(name)] if role is _Role.GIVEN else pools.family
    return like(word, ring.pick(choice.digest(role, name), word))


def _digit(match: re.Match[str], value: str, choice: KeyedChoice) -> str:
    step = 1 + choice.number(9, "digit", normalize(value), str(match.start()))
    return str((int(match.group()) + step) % 10)


def _roles(value: str, words: list[re.Match[str]]) -> list[_Role]:
    """Return the role of each word: given name, family name, initial, or kept."""
    roles = [_Role.GIVEN] * len(words)
    for i, match in enumerate(words):
        word = normalize(match.group())
        is_last = i == len(words) - 1
        if (word in TITLES and not is_last) or (word in _SUFFIXES and i):
            roles[i] = _Role.KEPT
        elif len(word) == 1:
            roles[i] = _Role.INITIAL
        elif word in PARTICLES and not is_last:
            roles[i] = _Role.KEPT
    names = [i for i, role in enumerate(roles) if role is _Role.GIVEN]
    for i in _family_words(value, words, names):
        roles[i] = _Role.FAMILY
    return roles


def _family_words(value: str, words: list[re.Match[str]], names: list[int]) -> list[int]:
    """Return which of the name words are the family name."""
    if not names:
        return []
    comma = value.find(",", words[names[0]].end())
    after = [i for i in names if words[i].start() > comma >= 0]
    if after:
        return [i for i in names if i not in after]
    if len(names) == 1:
        alone = words[names[0]].group()
        has_company = any(len(w.group()) == 1 or normalize(w.group()) in TITLES for w in words)
        return names if has_company or not is_given_name(alone) else []
    first = names[-1]
    while first - 1 in names[1:] and _joined(value, words, first):
        first -= 1
    particles = [
        i for i, w in enumerate(words) if i not in names and normalize(w.group()) in PARTICLES
    ]
    start = min([first, *(i for i in particles if i > names[0])])
    return [i for i in names if i >= start]


def _joined(value: str, words: list[re.Match[str]], index: int) -> bool:
    """Return whether a hyphen joins a word to the one before."""
    return value[words[index - 1].end() : words[index].start()].strip() in ("-", "‐", "–")


def _unspaced(value: str, locales: tuple[str, ...], choice: KeyedChoice) -> str:
    """Return a name in a script without spaces, of the same length after the family name."""
    pools, characters = _pools(locales), _given_characters(locales)
    name = "".join(c for c in value if c.isalpha())
    family = next(
        (name[:n] for n in (2, 1) if name[:n] in _families(locales) and len(name) > n), ""
    )
    family = family or name[:1]
    found = pools.family.pick(choice.digest(_Role.FAMILY, family), family)
    given = name[len(family) :]
    ring = characters[gender_of(given) if given else None]
    others = (ring.pick(choice.digest("character", given, str(i)), c) for i, c in enumerate(given))
    return found + "".join(others)


def _script(value: str) -> tuple[str, ...]:
    return next((locales for pattern, locales in _SCRIPTS if pattern.search(value)), _LATIN)


@cache
def _pools(locales: tuple[str, ...]) -> _Pools:
    lists = [faker_names(locale) for locale in locales]
    women, men, family = (frozenset().union(*(names[i] for names in lists)) for i in range(3))
    given = {
        Gender.FEMALE: Ring(_single(women - men, locales)),
        Gender.MALE: Ring(_single(men - women, locales)),
        None: Ring(_single(women | men, locales)),
    }
    return _Pools(given, Ring(_single(family, locales)))


def _single(names: frozenset[str], locales: tuple[str, ...]) -> list[str]:
    """Return names of one word; Latin ones in ASCII letters only."""
    ascii_only = locales == _LATIN
    return [n for n in names if n.isalpha() and not n.isupper() and (n.isascii() or not ascii_only)
            ] or [n for n in names if n]  # fmt: skip


@cache
def _families(locales: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*(faker_names(locale)[2] for locale in locales))


@cache
def _given_characters(locales: tuple[str, ...]) -> dict[Gender | None, Ring]:
    women, men, _ = faker_names(locales[0])
    return {
        Gender.FEMALE: Ring(c for name in women for c in name),
        Gender.MALE: Ring(c for name in men for c in name),
        None: Ring(c for name in women | men for c in name),
    }
