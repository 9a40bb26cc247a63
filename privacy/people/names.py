"""Parse one mention of a person into titles, name parts and suffix, without lists of names."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from sage_rag.privacy.recognizers.lexicon import fold


class Gender(StrEnum):
    """The gender that a title or a given name suggests."""

    FEMALE = "female"
    MALE = "male"


_MALE = frozenset("mr mister sir lord herr monsieur senor signor senhor gospodin".split())
_FEMALE = frozenset(
    "mrs ms miss mme madame mlle mademoiselle frau fraulein senora sra senorita srta signora "
    "senhora lady madam gospozha".split()
)
_KINSHIP = {
    **dict.fromkeys("brother uncle grandpa grandfather".split(), Gender.MALE),
    **dict.fromkeys("sister mother aunt auntie grandma grandmother dame".split(), Gender.FEMALE),
}
"""These precede a given name, so the word after them may not be a family name."""
_PROFESSIONS = frozenset(
    "dr doctor prof professor judge justice president minister ambassador sergeant sgt officer "
    "captain capt lieutenant lt colonel col major maj general gen inspector detective rev reverend "
    "fr father pastor rabbi imam nurse attorney advocate counsel hon honourable honorable chief "
    "senator governor".split()
)
_PARTICLES = frozenset(
    "van von der den de del della dela di da dos das du la le los las el ter ten te zu zum zur af "
    "av bin bint ibn abu st saint san santa".split()
)
_SUFFIXES = {
    "jr": "jr", "junior": "jr", "sr": "sr", "senior": "sr", "ii": "ii", "iii": "iii", "iv": "iv",
}  # fmt: skip
_DEGREES = frozenset("md phd esq qc kc rn dds mba bsc msc llm llb mbbs frcs frcp obe cbe".split())

NICKNAMES = {
    short: long
    for long, shorts in {
        "andrew": "andy", "anthony": "tony", "charles": "chuck", "daniel": "danny",
        "david": "dave davey", "elizabeth": "liz lizzie betty betsy libby", "gregory": "greg",
        "jacob": "jake", "james": "jim jimmy", "jennifer": "jenny jen", "joseph": "joe joey",
        "joshua": "josh", "kenneth": "ken kenny", "lawrence": "larry",
        "margaret": "peggy maggie meg", "matthew": "matt", "michael": "mike mikey mick",
        "nicholas": "nick nicky", "pamela": "pam", "peter": "pete", "rebecca": "becky becca",
        "richard": "dick", "robert": "bob bobby rob robbie", "ronald": "ron", "thomas": "tom tommy",
        "timothy": "tim timmy", "walter": "walt", "william": "bill billy will willy",
    }.items()
    for short in shorts.split()
}  # fmt: skip
"""Short forms with only one long form; those with several ("Sam", "Alex", "Steve") are left out."""

_POSSESSIVE = re.compile(r"(?:['’`´]s|(?<=s)['’])$", re.IGNORECASE)
_INITIALS = re.compile(r"[^\W\d_]\.?|(?:[^\W\d_]\.-?)+[^\W\d_]?")
_EDGES = ' \t.,;:()[]{}"“”«»„‘*_–—-'
_LEAST_CAPITALS = 3
"""Two capitals in front may be initials ("JK")."""


@dataclass(frozen=True, slots=True)
class Name:
    """One parsed mention. `repr` hides the name.

    `parts`: folded, given name first; an initial ends with a full stop ("m."). `title`: `civil`
    ("Mr"), `profession` ("Dr") or empty. `suffix`: `jr`, `sr`, `ii`, … or empty. `plain`: the
    mention as written, without titles and possessive ending.
    """

    parts: tuple[str, ...] = field(repr=False)
    gender: Gender | None
    title: str
    suffix: str
    plain: str = field(repr=False)


def is_initial(part: str) -> bool:
    """Return whether a part of a name is an initial."""
    return part.endswith(".")


def abbreviates(part: str, full: str) -> bool:
    """Return whether a part equals another or is its initial."""
    return part == full or (is_initial(part) and full.startswith(part[0]))


@lru_cache(maxsize=4096)
def parse_name(mention: str) -> Name:
    """Parse one mention; text without a name becomes one part, unchanged."""
    shown = "".join(c for c in unicodedata.normalize("NFKC", mention) if not _is_format(c))
    text = _POSSESSIVE.sub("", " ".join(shown.split()).rstrip(_EDGES.replace(".", "")))
    words, gender, title = _without_titles(text.split())
    plain = " ".join(words).strip(",;: ")
    words, suffix = _without_suffixes(_in_order(words))
    parts = _parts(words) or (fold(plain).strip(),)
    if len(parts) > 1 and parts[0] in NICKNAMES:
        parts = (NICKNAMES[parts[0]], *parts[1:])
    return Name(parts, gender, title, suffix, plain)


def _is_format(character: str) -> bool:
    return unicodedata.category(character) == "Cf"


def _key(word: str) -> str:
    return fold(word.strip(_EDGES)).replace(".", "")


def _without_titles(words: list[str]) -> tuple[list[str], Gender | None, str]:
    gender: Gender | None = None
    title, first = "", 0
    while first < len(words) - 1:
        word = _key(words[first])
        if word in _MALE or word in _FEMALE:
            gender = Gender.MALE if word in _MALE else Gender.FEMALE
            title = title or "civil"
        elif word in _KINSHIP:
            gender = _KINSHIP[word]
        elif word in _PROFESSIONS:
            title = "profession"
        else:
            break
        first += 1
    return words[first:], gender, title


def _in_order(words: list[str]) -> list[str]:
    """Return the words with the given name first, a suffix or degree last."""
    commas = [i for i, word in enumerate(words[:-1]) if word.endswith(",")]
    for i in commas:
        if not all(_key(word) in _SUFFIXES or _key(word) in _DEGREES for word in words[i + 1 :]):
            end = next((j for j in commas if j > i), len(words) - 1)
            return [*words[i + 1 : end + 1], *words[: i + 1], *words[end + 1 :]]
    capitals = 0
    while capitals < len(words) and _is_capitals(words[capitals]):
        capitals += 1
    return words if capitals == len(words) else [*words[capitals:], *words[:capitals]]


def _is_capitals(word: str) -> bool:
    letters = [c for c in word if c.isalpha()]
    return len(letters) >= _LEAST_CAPITALS and word.isupper() and _key(word) not in _SUFFIXES


def _without_suffixes(words: list[str]) -> tuple[list[str], str]:
    suffix = ""
    while len(words) > 1:
        last = _key(words[-1])
        if last not in _SUFFIXES and (last not in _DEGREES or len(words) == 2):
            break
        suffix = _SUFFIXES.get(last, suffix)
        words = words[:-1]
    return words, suffix


def _parts(words: list[str]) -> tuple[str, ...]:
    parts: list[str] = []
    particles: list[str] = []
    for word in words:
        if _INITIALS.fullmatch(word.rstrip(",")) and word[0].lower() != word[0].upper():
            # "J.-P." shortens one part, "Jean-Pierre": the letter after the hyphen is left out.
            letters = [group[0] for group in word.rstrip(",").split(".") if group[:1].isalpha()]
            parts.extend(f"{fold(letter)[0]}." for letter in letters)
            continue
        folded = fold(word.strip(_EDGES))
        if folded in _PARTICLES:
            particles.append(folded)
        elif folded:
            parts.append(" ".join([*particles, folded]))
            particles = []
    return (*parts, *particles)
