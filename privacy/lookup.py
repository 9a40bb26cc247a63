"""The lookup of an index version: what an edge needs to read a short question, sealed.

In "mr lindqvist knee" or "gout" a recognizer finds no sentence to judge by. The lookup says which
words the index holds in clear, and which words are part of a value of the index. The owner makes it
when a version is published, and signs it; a server stores and sends it, and cannot read it.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sage_rag.privacy.blind_index import BlindIndex, PartWords
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.exceptions import DecryptionError
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.lookup_seal import SealedLookup
from sage_rag.privacy.operators.calendar import WrittenDate
from sage_rag.privacy.policy import Policy
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.privacy.recognizers.lexicon import fold
from sage_rag.privacy.tokens import TOKEN, token_type

NAMED_TYPES = (EntityType.PERSON, EntityType.LOCATION, EntityType.ORGANIZATION)
"""Types that a recognizer finds by context. It can give a value one of them in a record, and
another one in a question."""
STEM_TYPES = (*NAMED_TYPES, EntityType.MISC)
"""Types whose values are searched by each of their words: names, and titles of works and events."""
MOST_TOKENS = 64
"""Tokens of values that share a word. A word of more values is of little use, and a server would
learn which values share it."""
COMMON = 3
"""Passages with a word from which on it is a common word of the corpus."""
ORDINARY = COMMON + 1
"""The count of a word that a passage writes in lower case, where names have capitals."""
_CAPITALS_PER_LETTER = 0.01
"""Capitals of a text whose names have them. Fewer: it may be typed in lower case throughout."""
_ABBREVIATION = re.compile(r"\b[^\W\d_]{2,6}\b")
_MAX_BYTES = 256 * 1024 * 1024
"""The longest lookup when unpacked: that of about five million values."""
_LETTERS = re.compile(r"[^\W\d_]+")
_CODE = re.compile(r"[^\W_]+(?:[-./][^\W_]+)*")
_CODED = frozenset(t for t in EntityType if identifiability(t) is Identifiability.DIRECT)
"""Types whose values may be codes."""
_READ_TYPES = _CODED | frozenset((*STEM_TYPES, EntityType.DATE_TIME))


@dataclass(frozen=True)
class Lookup:
    """Words that an index holds in clear, values by their parts, as blind words, and its policy.

    `words`: in how many passages each folded word occurs, counted up to `COMMON`, or `ORDINARY`.
    `values`: from the blind word of a value or part to the blind words of the whole values, sorted.
    `tokens`: from the blind word of a stem to the tokens of the at most `MOST_TOKENS` values with
    it, sorted. No value is in it in clear: a holder of the key can test a guess, and cannot list
    the names.
    `policy`: what its texts were protected under, so that questions can be; old lookups have none.
    `dates`: from the blind words of a day, with and without its year, to the tokens of its dates;
    old lookups have none. `codes`: words of digits and something else, and abbreviations in
    capitals, that the index holds in clear and that are no part of a value there; old lookups have
    none. `version`: the number of the index version; 0 in old lookups, which do not say it.
    """

    words: Mapping[str, int] = field(default_factory=dict, repr=False)
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    tokens: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    policy: Policy | None = None
    codes: frozenset[str] = field(default=frozenset(), repr=False)
    dates: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    version: int = 0

    @classmethod
    def build(
        cls,
        texts: Iterable[str],
        tokens: Iterable[str],
        index: BlindIndex,
        cipher: EntityCipher,
        policy: Policy | None = None,
        version: int = 0,
    ) -> Lookup:
        """Return the lookup of passages and of the tokens of their values.

        `index`: makes the words of all parts (`PartWords.ALL`).

        Raises:
            DecryptionError: for a token that the cipher cannot open.
        """
        spread, ordinary, codes = Counter[str](), set[str](), set[str]()
        for text in texts:
            plain = TOKEN.sub(" ", text)
            written = set(_LETTERS.findall(plain))
            spread.update({fold(word) for word in written})
            codes |= codes_of(plain)
            if _has_capitals(plain):
                ordinary |= {fold(word) for word in written if word.islower()}
                codes |= abbreviations_of(plain)
        values: dict[str, set[str]] = {}
        holders: dict[str, set[str]] = {}
        dates: dict[str, set[str]] = {}
        for token in set(tokens):
            entity_type = token_type(token)
            if entity_type not in _READ_TYPES:
                continue
            value = cipher.decrypt(token)
            for form in day_forms(value) if entity_type is EntityType.DATE_TIME else ():
                dates.setdefault(index.words(form, entity_type)[0], set()).add(token)
            if entity_type in _CODED:
                codes -= codes_of(value)
            if entity_type not in STEM_TYPES:
                continue
            codes.difference_update(map(fold, _LETTERS.findall(value)))
            for name in index.stem_words(value, entity_type) if value else ():
                holders.setdefault(name, set()).add(token)
            if value and entity_type in NAMED_TYPES:
                whole, *parts = index.words(value, entity_type) or ("",)
                for name in (whole, *parts) if whole else ():
                    values.setdefault(name, set()).add(whole)
        words = {
            word: ORDINARY if word in ordinary else min(passages, COMMON)
            for word, passages in sorted(spread.items())
        }
        few = {name: found for name, found in holders.items() if len(found) <= MOST_TOKENS}
        listed = _sorted(values), _sorted(few), policy, frozenset(codes), _sorted(dates)
        return cls(words, *listed, version)

    def seal(self, keyset: Keyset, corpus: str) -> bytes:
        """Return the lookup encrypted and signed under the primary key.

        Equal lookups give equal bytes.

        Guarantees: without a key no one can read it, and without the whole keyset no one can make
        or change it, or use that of another corpus.
        Does not guarantee: that it is the newest, though its `version` says how old it is; hiding
        its size. A holder of any grant opens it,
        and can test guesses for values of the granted types alone.

        Raises:
            KeysetError: for a grant, which cannot sign.
        """
        return bytes(SealedLookup.make(self._packed(), keyset, corpus))

    def _packed(self) -> bytes:
        grouped = (*self.tokens.values(), *self.dates.values())
        listed = sorted({token for found in grouped for token in found})
        rows = {token: row for row, token in enumerate(listed)}
        content = {
            "words": dict(self.words),
            "values": dict(self.values),
            "tokens": listed,
            "stems": {name: [rows[token] for token in t] for name, t in self.tokens.items()},
            "dates": {name: [rows[token] for token in t] for name, t in self.dates.items()},
            "policy": self.policy.to_json() if self.policy else None,
            "codes": sorted(self.codes),
            "version": self.version,
        }
        return zlib.compress(json.dumps(content, ensure_ascii=False).encode(), 9)

    @classmethod
    def open(cls, sealed: bytes, keyset: Keyset, corpus: str) -> Lookup:
        """Open a sealed lookup.

        Raises:
            UnsignedError: when it opens, and nothing proves that the owner made it.
            DecryptionError: unless the owner made it for this corpus.
        """
        return cls._unpacked(SealedLookup.parse(sealed).open(keyset, corpus))

    @classmethod
    def open_unproven(cls, sealed: bytes, keyset: Keyset, corpus: str) -> Lookup:
        """Open a sealed lookup that the holder of any grant may have made. Review every caller.

        Raises:
            DecryptionError: unless a holder of one of this keyset's keys made it for this corpus.
        """
        return cls._unpacked(SealedLookup.parse(sealed).open_unproven(keyset, corpus))

    @classmethod
    def _unpacked(cls, packed: bytes) -> Lookup:
        try:
            return cls._read(json.loads(zlib.decompressobj().decompress(packed, _MAX_BYTES)))
        except (zlib.error, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            # The holder of a grant can seal anything.
            raise DecryptionError("the lookup holds something else than a lookup") from None

    @classmethod
    def _read(cls, content: Any) -> Lookup:
        """Read what `_packed` wrote. Strict: what a question finds later must not stop it."""
        words = {word: _number(count) for word, count in content["words"].items()}
        values = {name: _texts(wholes) for name, wholes in content["values"].items()}
        listed = _texts(content.get("tokens", []))
        tokens, dates = (
            {
                name: tuple(listed[row] for row in rows)
                for name, rows in content.get(key, {}).items()
            }
            for key in ("stems", "dates")  # older lookups have none
        )
        policy = Policy.from_json(found) if (found := content.get("policy")) else None
        codes = frozenset(_texts(content.get("codes", [])))
        version = _number(content.get("version", 0))
        return cls(words, values, tokens, policy, codes, dates, version)


def _texts(found: Any) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise TypeError("not a list of texts")
    return tuple(found)


def _number(found: Any) -> int:
    if type(found) is not int:
        raise TypeError("not a whole number")
    return found


def _sorted(found: Mapping[str, set[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(sorted(members)) for name, members in sorted(found.items())}


def codes_of(text: str) -> set[str]:
    """Return the words, folded, of digits and something else: "38-112", "D25", "8c".

    Numbers alone are left out: a private number could equal an amount.
    """
    found = (fold(code) for code in _CODE.findall(text))
    return {code for code in found if any(map(str.isdigit, code)) and not code.isdigit()}


def abbreviations_of(text: str) -> set[str]:
    """Return the words, folded, of two to six letters that a text writes in capitals: "INR"."""
    return {fold(word) for word in _ABBREVIATION.findall(text) if word.isupper()}


def day_forms(value: str, *, asked: bool = False) -> tuple[str, ...]:
    """Return the forms under which a lookup has a day; none for what names no day of a month.

    "3 March" of a question means each year; a record without a year may mean the year `asked` for.
    """
    named = WrittenDate(value).named
    if named is None or named.day is None:
        return ()
    day = f"{named.day} {named.month}"
    if asked:
        return (day,) if named.year is None else (f"{day} {named.year}", f"{day} none")
    return (day, f"{day} {named.year or 'none'}")


def _has_capitals(text: str) -> bool:
    """Return whether a text is written with capitals, and not all in capitals."""
    letters = sum(map(str.isalpha, text))
    return _CAPITALS_PER_LETTER * letters <= sum(map(str.isupper, text)) < letters / 2


def sealed_lookup(
    texts: Iterable[str],
    tokens: Iterable[str],
    keyset: Keyset,
    corpus: str,
    policy: Policy | None = None,
    version: int = 0,
) -> bytes:
    """Return the sealed lookup of the passages of a version and of the tokens in its index.

    `version`: its number, so that an edge refuses an older one than it has seen.

    Raises:
        DecryptionError: for a token that the keyset cannot open.
    """
    cipher = default_cipher(keyset, corpus)
    lookup = Lookup.build(texts, tokens, all_parts(keyset, corpus), cipher, policy, version)
    return lookup.seal(keyset, corpus)


def all_parts(keyset: Keyset, corpus: str) -> BlindIndex:
    """Return the blind index that lookups are made with."""
    return BlindIndex(keyset, corpus, PartWords.ALL)
