"""Find whom and what a question names among the values of an index, by the parts of names.

"Henrike" and "ms okonjo" may be everyone who is called so. "Astrid Kilbride" is not "Siobhan
Kilbride", and not the "Ms Kilbride" of her letter either; "A. Kilbride" is the first of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher
from string import ascii_lowercase

from sage_rag.privacy.blind_index import PartWords, index_terms
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import NotGrantedError
from sage_rag.privacy.lookup import NAMED_TYPES, STEM_TYPES, codes_of
from sage_rag.privacy.people.names import parse_name
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.privacy.recognizers.lexicon import default_lexicon, fold
from sage_rag.privacy.tokens import token_type
from sage_rag.rag_server.edge.index_lookup import CODE_TYPES, IndexLookup, is_known_name
from sage_rag.rag_server.named_people import NamedPeople

_ALIKE = 0.8
"""Likeness of two spellings of a name: "vasques" and "vasquez" have 0.86."""
_SHORTEST_MISSPELT = 5
_TYPES_OF_CODES = (*CODE_TYPES, EntityType.LOCATION, EntityType.ORGANIZATION)
"""Types of tokens of a question that may be a code: one record may have it as a place."""
_NUMBER = re.compile(r"\b\d+[a-z]?\b")
"""A house number."""
_LETTERS = re.compile(r"[^\W\d_]+")
_MOST_ALIKE = 3


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A value of the index that shares a part with a name."""

    token: str
    value: str
    parts: frozenset[str]

    @property
    def is_person(self) -> bool:
        """Whether the index has the value as a person."""
        return token_type(self.token) is EntityType.PERSON


def people_named(tokens: Iterable[str], index: IndexLookup, cipher: EntityCipher) -> NamedPeople:
    """Return whom and what the tokens of a question's names and days may mean.

    A name with a part that too many values of the index share is neither known nor unknown, nor is
    one of ordinary words alone, which a recognizer took for a name.

    Raises:
        DecryptionError: for a token that the cipher cannot open.
    """
    known, unknown, others, alike = set[str](), set[str](), set[str](), set[str]()
    dates, partial = set[str](), set[str]()
    for token in sorted(set(tokens)):
        entity_type = token_type(token)
        if entity_type is EntityType.DATE_TIME:
            same_day = index.dates(cipher.decrypt(token))
            dates.update(same_day or ())
            if same_day == ():
                unknown.add(token)
        if entity_type in _TYPES_OF_CODES:
            others.update(_of_other_types(cipher.decrypt(token), entity_type, cipher))
        if entity_type not in STEM_TYPES:
            continue
        is_person = entity_type is EntityType.PERSON
        value = cipher.decrypt(token)
        if entity_type is EntityType.LOCATION and _is_absent_address(value, index, cipher):
            unknown.add(token)
        parts = _parts(value, index, (entity_type,) if is_person else NAMED_TYPES)
        found = _candidates(parts, index, cipher) if parts else None
        if found is None:
            continue
        meant = _meant(parts, found) if is_person else _at_address(value, _longer(parts, found))
        if is_person:
            namesakes, meant = meant, _with_initials(value, parts, meant)
        (known if is_person else others).update(c.token for c in meant)
        if is_person and not meant:
            unknown.add(token)
            near = _spelt_once(namesakes) or _alike(parts, found, index, cipher)
            alike.update(near or _first_names(parts, found))
        if is_person and meant and not _is_whole(value, parts, meant):
            partial.add(token)
    named = (known, unknown, others, alike, dates, partial)
    return NamedPeople(*(tuple(sorted(tokens)) for tokens in named))


def _of_other_types(code: str, entity_type: EntityType, cipher: EntityCipher) -> Iterator[str]:
    """Yield the tokens of a code under the other types that the recognizer may give it."""
    is_code = bool(codes_of(code)) and (entity_type in CODE_TYPES or len(code.split()) == 1)
    for other in CODE_TYPES if is_code else ():
        if other is not entity_type:
            with suppress(NotGrantedError):
                yield cipher.encrypt(code, other)


def _is_whole(value: str, parts: tuple[str, ...], meant: list[_Candidate]) -> bool:
    """Return whether no word of a name was left out of its parts, save words of those it means."""
    held = frozenset[str]().union(parts, *(c.parts for c in meant))
    return held.issuperset(_name_parts(value))


def _meant(parts: tuple[str, ...], found: list[_Candidate]) -> list[_Candidate]:
    """Return the values that a name may mean: longer forms of it, and its family name alone.

    The family name alone may be another person's, where someone else of this name is in the index.
    """
    name, longer = frozenset(parts), _longer(parts, found)
    namesakes = [c for c in found if c.is_person and parts[-1] in c.parts]
    shorter = [c for c in namesakes if c.parts <= name]
    others = set(namesakes).difference(longer, shorter)
    return longer if others else list(dict.fromkeys([*longer, *shorter]))


def _with_initials(value: str, parts: tuple[str, ...], meant: list[_Candidate]) -> list[_Candidate]:
    """Return the persons whose other names may have the initials of a name: "A. Kilbride".

    Those of the family name alone may be another person's, as with whole names.
    """
    initials = {word for word in _name_words(value) if len(word) == 1}
    if not initials or not all(c.is_person for c in meant):
        return meant
    given = {c: _name_words(c.value).difference(parts) for c in meant}
    fitting = [c for c in meant if initials <= {word[0] for word in given[c]}]
    bare = [c for c in meant if not given[c]]
    has_others = len(fitting) + len(bare) < len(meant)
    return (fitting or bare) if has_others else meant


def _name_words(value: str) -> set[str]:
    """Return the words of a name, and its initials, without titles; nicknames in both forms."""
    name = parse_name(value)
    return {word for text in (fold(name.plain), *name.parts) for word in _LETTERS.findall(text)}


def _longer(parts: tuple[str, ...], found: list[_Candidate]) -> list[_Candidate]:
    """Return the values that have all parts of a name: persons, if there are any."""
    longer = [c for c in found if c.parts.issuperset(parts)]
    return [c for c in longer if c.is_person] or longer


def _at_address(value: str, found: list[_Candidate]) -> list[_Candidate]:
    """Return the values with the house number of an address; those between commas as it, first.

    "14 Mill Lane" is "14 Mill Lane, Hadleigh" rather than "14 Mill Lane Cottages".
    """
    numbered = [c for c in found if _numbers(value) <= _numbers(c.value)]
    if not _numbers(value):
        return numbered
    exact = [c for c in numbered if _sections(value) <= _sections(c.value)]
    return exact or numbered


def _is_absent_address(value: str, index: IndexLookup, cipher: EntityCipher) -> bool:
    """Return whether no value of the index has the number and a word of an address."""
    _, words = index_terms(value, EntityType.LOCATION, PartWords.ALL)
    if not (numbers := _numbers(value)) or any(map(index.has_word, words)):
        return False
    found = _candidates(words, index, cipher)
    return found is not None and not any(numbers & _numbers(c.value) for c in found)


def _numbers(value: str) -> set[str]:
    return set(_NUMBER.findall(fold(value)))


def _sections(value: str) -> set[str]:
    return {" ".join(fold(section).split()) for section in value.split(",")}


def _alike(
    parts: tuple[str, ...], found: list[_Candidate], index: IndexLookup, cipher: EntityCipher
) -> list[str]:
    """Return the persons of the index with nearly these names, once each, if they are few.

    Those with a part of the name are at hand. A name of one part is looked up in each spelling that
    differs in one letter: nothing is sent for it.
    """
    if len(parts) == 1 and len(parts[0]) >= _SHORTEST_MISSPELT:
        spelt = _one_letter_off(parts[0])
        groups = (group for word in spelt for group in index.groups(word, [EntityType.PERSON]))
        found = _opened((token for group in groups for token in group), cipher)
    near = [
        c
        for c in found
        if c.is_person and all(any(_are_alike(part, own) for own in c.parts) for part in parts)
    ]
    return _spelt_once(near)


def _spelt_once(near: list[_Candidate]) -> list[str]:
    """Return one token of each name, if they are few: one without a title, and with capitals."""
    near.sort(key=lambda c: (c.value.islower() or c.value.isupper(), len(c.value), c.value))
    spelt_once = {_spelling(c.value): c.token for c in reversed(near)}
    return list(spelt_once.values()) if len(spelt_once) <= _MOST_ALIKE else []


def _first_names(parts: tuple[str, ...], found: list[_Candidate]) -> list[str]:
    """Return the persons whom the index has by the first names alone: "Ann" for "Ann Lee".

    Such a person may have another family name.
    """
    given = frozenset(parts[:-1])
    near = [c for c in found if c.is_person and c.parts and c.parts <= given]
    return _spelt_once(near)


def _spelling(value: str) -> str:
    """Return a name without what its spellings may differ in: case, line breaks, a title."""
    whole, _ = index_terms(value, EntityType.PERSON, PartWords.NONE)
    return fold(whole)


def _are_alike(part: str, other: str) -> bool:
    return SequenceMatcher(None, part, other, autojunk=False).ratio() >= _ALIKE


def _one_letter_off(word: str) -> set[str]:
    """Return the words with one letter more, less or other, or with two neighbours exchanged."""
    halves = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    less = {a + b[1:] for a, b in halves if b}
    swapped = {a + b[1] + b[0] + b[2:] for a, b in halves if len(b) > 1}
    other = {a + letter + b[1:] for a, b in halves if b for letter in ascii_lowercase}
    more = {a + letter + b for a, b in halves for letter in ascii_lowercase}
    return less | swapped | other | more


def _candidates(
    parts: Iterable[str], index: IndexLookup, cipher: EntityCipher
) -> list[_Candidate] | None:
    """Return the values that share a part; `None` if a part has too many, or is too short."""
    tokens = set[str]()
    for part in parts:
        found = {token for group in index.groups(part) for token in group}
        if not found and index.types_of(part):
            return None
        tokens |= found
    return _opened(tokens, cipher)


def _opened(tokens: Iterable[str], cipher: EntityCipher) -> list[_Candidate]:
    found: list[_Candidate] = []
    for token in sorted({*tokens}):
        with suppress(NotGrantedError):
            value = cipher.decrypt(token)
            found.append(_Candidate(token, value, frozenset(_name_parts(value))))
    return found


def _parts(value: str, index: IndexLookup, types: Sequence[EntityType]) -> tuple[str, ...]:
    """Return the parts of a name, without ordinary words next to it: "lindqvist knee".

    A word in lower case that is no known name belongs to a name only if an index value of one of
    the `types` has it. So does one in capitals, where all are, and an ordinary word with a capital:
    "Biscuit".
    """
    parts = _name_parts(value)
    lexicon, same_case = default_lexicon(), value.isupper()
    # The part of "bill" is "william", but as an ordinary word it is "bill".
    written = {part: fold(word) for word in value.split() for part in _name_parts(word)}
    small = frozenset(
        part for word in value.split() if word.islower() or same_case for part in _name_parts(word)
    )

    def is_ordinary(part: str) -> bool:
        word = written.get(part, part)
        is_word = lexicon.is_word(word)
        is_known = is_known_name(word) or (part not in small and index.types_of(part, types))
        if is_word and not is_known:
            return True
        if part not in small or index.types_of(part, types):
            return False
        return is_word or index.has_word(word)

    names = tuple(part for part in parts if not is_ordinary(part))
    known = tuple(
        p for p in names if p not in small or lexicon.kinds_of(p) or index.types_of(p, types)
    )
    return known or names


def _name_parts(value: str) -> tuple[str, ...]:
    _, parts = index_terms(value, EntityType.PERSON, PartWords.ALL)
    return tuple(fold(part) for part in parts)
