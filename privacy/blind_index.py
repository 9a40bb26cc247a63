"""Search by a part of a value: keyed words of the value and its parts, unreadable without the key.

`PERSON_[enc("Keller")]` and `PERSON_[enc("Maria Keller")]` have nothing in common. To find the
record of "Maria Keller" for a question about "Ms Keller", both sides turn a value into *blind
words*, which the lexical index compares like other words:

    PERSON~mfrggzdfmztwq2lk      entity type, `~`, 80 bits of an HMAC in base32

One word represents the whole value in any spelling, the others its parts. The word of a part does
not depend on the other parts; otherwise "Keller" would not find "Maria Keller". Whole values and
parts have different words; otherwise, for "Keller", the records of both would rank the same.

Source: Song, Wagner and Perrig (2000), "Practical techniques for searches on encrypted data",
IEEE S&P; Curtmola, Garay, Kamara and Ostrovsky (2006), "Searchable symmetric encryption", CCS,
§3 (what an index and its searches leak); blind indexes as in CipherSweet. Differs: 80 bits, which
never collide in practice. CipherSweet uses few bits so that words collide; here the value's token,
which is in the same index, shows equality anyway.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import unicodedata
from collections.abc import Callable, Iterable
from enum import StrEnum

from sage_rag.common.stems import stem
from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.people.names import NICKNAMES, parse_name
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.privacy.recognizers.lexicon import fold
from sage_rag.privacy.tokens import TOKEN
from sage_rag.privacy.words import digits

_WORD_BYTES = 10
"""Two of a million words are equal with probability 2⁻⁴¹."""
_KEY_BYTES = 32
_TYPES = "|".join(sorted(EntityType, key=len, reverse=True))

SIGN = "~"
"""Separates type and word. No token contains it, and text loses nothing if it is replaced."""
BLIND_WORD = re.compile(rf"(?:{_TYPES}){SIGN}[a-z2-7]{{16}}(?![a-z2-7])")
"""One blind word. The index removes imitations from texts (`indexer.stores.lexical.searchable`)."""


def identifies(mark: str) -> bool:
    """Return whether a token or blind word is of a type that identifies a person alone."""
    entity_type = mark.partition("_[")[0].partition(SIGN)[0]
    return identifiability(EntityType(entity_type)) is Identifiability.DIRECT


class PartWords(StrEnum):
    """The parts of a value that have words, in addition to the whole value."""

    NONE = "none"
    FAMILY = "family-names"
    """Of a person's name the last part only, so that no word links two parts of a name; all parts
    of other values."""
    ALL = "all"


class _Kind(StrEnum):
    WHOLE = "whole"
    PART = "part"
    STEM = "stem"


DEFAULT_PART_WORDS = PartWords.FAMILY
"""Finds "Maria Keller" for "Ms Keller", and leaks far less than `ALL`."""


class BlindIndex:
    """Make the blind words of one corpus.

    Guarantees: without the type's key no one can read the value of a word, make the word of a
    guessed value, or compare words of two corpora, two types or two keys.
    Does not guarantee: hiding which values share a part, how often each part occurs, or which
    records and questions contain it. Anyone who has an index and a list of the people in it can
    identify many of them by the parts that names share; `docs/results/frequency.md` measures how
    many. With `PartWords.NONE`, only spellings of one value have equal words.
    """

    def __init__(
        self, keyset: Keyset, corpus_id: str, parts: PartWords = DEFAULT_PART_WORDS
    ) -> None:
        self._keyset = keyset
        self._corpus = corpus_id.encode()
        self._parts = parts
        self._keys: dict[tuple[str, EntityType], bytes] = {}

    def words(
        self, value: str, entity_type: EntityType, key_id: str | None = None
    ) -> tuple[str, ...]:
        """Return the words of a value under a key, by default the primary; the whole value first.

        Empty for a technical type (`SOURCE`, `LITERAL`), and for a value without letter or digit.

        Raises:
            KeysetError: when the keyset has no key for the type.
        """
        if identifiability(entity_type) is Identifiability.TECHNICAL:
            return ()
        whole, parts = index_terms(value, entity_type, self._parts)
        if not whole:
            return ()
        terms = [(_Kind.WHOLE, whole), *((_Kind.PART, part) for part in parts)]
        key = self._key(key_id or self._keyset.primary, entity_type)
        return tuple(f"{entity_type}{SIGN}{self._digest(key, *term)}" for term in terms)

    def stem_words(self, value: str, entity_type: EntityType) -> tuple[str, ...]:
        """Return a word for the stem of each distinctive word of a value. They are for lookups.

        Raises:
            KeysetError: when the keyset has no key for the type.
        """
        _, words = _name_words(unicodedata.normalize("NFKC", value))
        stems = dict.fromkeys(map(stem, words))
        key = self._key(self._keyset.primary, entity_type) if stems else b""
        return tuple(f"{entity_type}{SIGN}{self._digest(key, _Kind.STEM, s)}" for s in stems)

    def words_of_tokens(self, tokens: Iterable[str], cipher: EntityCipher) -> tuple[str, ...]:
        """Return the distinct words of the values of tokens; sorted, so that order reveals nothing.

        Raises:
            DecryptionError: for a token that the cipher cannot open.
            KeysetError: when the keyset has no key for a type.
        """
        found: set[str] = set()
        for token in set(tokens):
            match = TOKEN.fullmatch(token)
            entity_type = EntityType(match.group(1)) if match else EntityType.LITERAL
            found.update(self.words(cipher.decrypt(token), entity_type))
        return tuple(sorted(found))

    def _key(self, key_id: str, entity_type: EntityType) -> bytes:
        known = (key_id, entity_type)
        if known not in self._keys:
            self._keys[known] = self._keyset.entity_key(
                key_id, entity_type, purpose="blind-index", size_bytes=_KEY_BYTES
            )
        return self._keys[known]

    def _digest(self, key: bytes, kind: _Kind, word: str) -> str:
        # With the length of the corpus id, no other corpus id and word give the same message.
        message = len(self._corpus).to_bytes(4) + self._corpus + f"{kind}\n{word}".encode()
        digest = hmac.new(key, message, hashlib.sha256).digest()[:_WORD_BYTES]
        return base64.b32encode(digest).decode().lower()

    def __repr__(self) -> str:
        return f"BlindIndex(key_ids={list(self._keyset.key_ids)}, parts={str(self._parts)!r})"


IndexTerms = tuple[str, tuple[str, ...]]
"""The normal form of a value, which all its spellings share, and its parts. Plain text."""


def index_terms(value: str, entity_type: EntityType, parts: PartWords) -> IndexTerms:
    """Return the normal form of a value, and its parts.

    Parts by type: the names of a person of two letters or more, without titles, particles and
    initials, and with nicknames in their long form; the last nine and seven digits of a telephone
    number, which exclude country and trunk prefixes; the digits of other numbers; the distinctive
    words of places and organisations. Other types have no parts: no question names half of one.
    """
    whole, found = _READ.get(entity_type, _plain)(unicodedata.normalize("NFKC", value))
    if parts is PartWords.NONE:
        return whole, ()
    if parts is PartWords.FAMILY and entity_type is EntityType.PERSON:
        return whole, found[:1] if _HAN_NAME.fullmatch(whole) else found[-1:]
    return whole, found


_LETTERS = re.compile(r"[^\W_]+")
_HAN_NAME = re.compile(r"[\u3400-\u9fff]{2,4}")
_HAN = re.compile(r"[\u3400-\u9fff]")
_COMPOUND_SURNAMES = frozenset(
    "欧阳 歐陽 司马 司馬 上官 诸葛 諸葛 东方 東方 皇甫 尉迟 公孙 慕容".split()
)
_PARTICLES = frozenset("van von der den de da di del della dos das du la le el al bin ibn".split())
_APOSTROPHES = re.compile("['’ʼ`´]")
_SHORTEST_NAME = 2
_SHORTEST_DIGITS = 4
"""Fewer digits do not identify a record."""
_PHONE_TAILS = (9, 7)
_SHORTEST_WORD = 3
_GENERAL = frozenset(
    "the and for inc ltd llc plc corp company group gmbh street road lane avenue drive close square"
    " way court place north south east west upper lower new old saint city town county house floor"
    " hospital clinic centre center surgery practice medical health pharmacy university school"
    " college department office institute association service services care".split()
)
"""Words that do not identify a place or organisation: frequent, easily guessed, of little use."""


def _person(value: str) -> IndexTerms:
    if _HAN_NAME.fullmatch(value):
        return value, _han_parts(value)
    names = [_APOSTROPHES.sub("", part) for part in parse_name(value).parts]
    words = [NICKNAMES.get(word, word) for name in names for word in _LETTERS.findall(name)]
    names_only = [w for w in words if w not in _PARTICLES] or words
    parts = [w for w in names_only if len(w) >= _SHORTEST_NAME or _HAN.match(w)]
    # Sorted: "Keller, Maria" and "KELLER Maria" are spellings of "Maria Keller".
    return " ".join(sorted(words)), tuple(dict.fromkeys(parts))


def _han_parts(value: str) -> tuple[str, ...]:
    """Return family name and given name of a Chinese name: the family name is first."""
    compound = value[:2] in _COMPOUND_SURNAMES or len(value) > 3
    cut = 2 if compound and len(value) > 2 else 1
    return value[:cut], value[cut:]


def _telephone(value: str) -> IndexTerms:
    number = digits(value)
    tails = (number[-size:] for size in _PHONE_TAILS if len(number) >= size)
    return number, tuple(tails)


def _number(value: str) -> IndexTerms:
    whole = "".join(_LETTERS.findall(value.casefold()))
    number = digits(value)
    return whole, (number,) if len(number) >= _SHORTEST_DIGITS else ()


def _name_words(value: str) -> IndexTerms:
    words = _LETTERS.findall(_APOSTROPHES.sub("", fold(value)))
    distinctive = (w for w in words if len(w) >= _SHORTEST_WORD and w not in _GENERAL)
    parts = (w for w in distinctive if not w.isdigit() or len(w) >= _SHORTEST_DIGITS)
    return " ".join(words), tuple(dict.fromkeys(parts))


def _plain(value: str) -> IndexTerms:
    return " ".join(_LETTERS.findall(value.casefold())), ()


def _address(value: str) -> IndexTerms:
    """Return an e-mail or web address, user name or secret: its punctuation is significant."""
    return value.strip().casefold(), ()


_NUMBERS = (
    EntityType.CREDIT_CARD, EntityType.IBAN_CODE, EntityType.BANK_ACCOUNT, EntityType.US_SSN,
    EntityType.UK_NHS, EntityType.NATIONAL_ID, EntityType.PASSPORT, EntityType.DRIVER_LICENSE,
    EntityType.MEDICAL_LICENSE, EntityType.MEDICAL_RECORD, EntityType.CASE_NUMBER,
    EntityType.VEHICLE, EntityType.ID,
)  # fmt: skip
_ADDRESSES = (
    EntityType.EMAIL_ADDRESS, EntityType.URL, EntityType.USERNAME, EntityType.SECRET,
    EntityType.CRYPTO, EntityType.IP_ADDRESS, EntityType.MAC_ADDRESS,
)  # fmt: skip
_READ: dict[EntityType, Callable[[str], IndexTerms]] = {
    EntityType.PERSON: _person,
    EntityType.PHONE_NUMBER: _telephone,
    EntityType.LOCATION: _name_words,
    EntityType.ORGANIZATION: _name_words,
    **dict.fromkeys(_NUMBERS, _number),
    **dict.fromkeys(_ADDRESSES, _address),
}
