"""The lookup of an index, asked with the keys of one corpus: which words it holds, and as what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

from sage_rag.privacy.blind_index import BlindIndex
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import NotGrantedError
from sage_rag.privacy.lookup import (
    COMMON,
    MOST_TOKENS,
    NAMED_TYPES,
    ORDINARY,
    STEM_TYPES,
    Lookup,
    codes_of,
    day_forms,
)
from sage_rag.privacy.recognizers.lexicon import Kind, default_lexicon, fold

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NAME_KINDS = (Kind.GIVEN, Kind.SURNAME, Kind.PLACE, Kind.GREAT_PLACE)
CODE_TYPES = (
    EntityType.ID,
    EntityType.CASE_NUMBER,
    EntityType.MEDICAL_RECORD,
    EntityType.VEHICLE,
    EntityType.NATIONAL_ID,
)
"""Types that a recognizer can give to one code, in a record and in a question."""
_MOST_VALUES = 64
"""Values that one word of a question may stand for. More would not help, and a server would learn
which values share a part."""


def is_known_name(folded: str) -> bool:
    """Return whether a folded word is in a list of names of persons or places."""
    kinds = default_lexicon().kinds_of(folded)
    return any(kind in kinds for kind in _NAME_KINDS)


class IndexLookup:
    """Answers questions about an index from its lookup, with the keys of one corpus.

    Nothing is sent for a test: the lookup is on the edge.
    """

    def __init__(self, lookup: Lookup, index: BlindIndex) -> None:
        self._lookup = lookup
        self._index = index

    def has_word(self, word: str) -> bool:
        """Return whether the index holds a word in clear."""
        return fold(word) in self._lookup.words

    def is_public(self, word: str, types: Sequence[EntityType] = NAMED_TYPES) -> bool:
        """Return whether a word may be sent although a recognizer took it for a name.

        The index must hold it in clear, and as no part of a value of one of the `types`: then
        sending it links no token with a word. An English or medical word that is also a known name
        must be common there; another word must be written in lower case there, and be no name.
        """
        folded, lexicon = fold(word), default_lexicon()
        passages = self._lookup.words.get(folded, 0)
        if not passages or self.types_of(word, types):
            return False
        if lexicon.is_word(folded):
            return passages >= COMMON or not is_known_name(folded)
        return passages == ORDINARY and not is_known_name(folded)

    def is_abbreviation(self, word: str) -> bool:
        """Return whether the index writes a word in capitals, and it is no part of a value there.

        A word that a question writes with one capital may be a name.
        """
        folded = fold(word)
        is_written_so = (word.islower() or word.isupper()) and folded in self._lookup.codes
        return is_written_so and not is_known_name(folded) and not self.types_of(word)

    def is_public_code(self, code: str) -> bool:
        """Return whether what a recognizer took for a private code stands in clear in the index.

        An error's number, a model, an abbreviation: "38-112", "D25", "TSH". None of its words is a
        private code or a part of a name there.
        """
        parts = code.split()
        return bool(parts) and all(self.is_code(part) or self.is_plain(part) for part in parts)

    def is_code(self, word: str) -> bool:
        """Return whether a word is a code or an abbreviation that stands in clear in the index."""
        codes = codes_of(word)
        return codes <= self._lookup.codes if codes else self.is_abbreviation(word)

    def is_plain(self, word: str) -> bool:
        """Return whether a word without digits stands in clear, and is no part of a name."""
        return bool(_WORD.fullmatch(word)) and self.has_word(word) and not self.types_of(word)

    def types_of(
        self, value: str, types: Sequence[EntityType] = NAMED_TYPES
    ) -> tuple[EntityType, ...]:
        """Return the types under which the index has a value with all the parts of this one."""
        return tuple(t for t in types if self.wholes(value, t))

    def wholes(self, value: str, entity_type: EntityType) -> tuple[str, ...]:
        """Return the blind words of the values of a type with all the parts of this one.

        If there is no such value, its ordinary words are left out: "lindqvist knee".
        """
        try:
            words = self._index.words(value, entity_type)
        except NotGrantedError:
            return ()
        if not words:
            return ()
        whole, *parts = words
        is_known = whole in self._lookup.values
        if len(parts) != 1 and is_known:
            return (whole,)
        found = [set(self._lookup.values.get(part, ())) for part in parts]
        if found and (common := set.intersection(*found)):
            return tuple(sorted(common))
        written = _WORD.findall(value)
        names = [word for word in written if not default_lexicon().is_word(fold(word))]
        return self.wholes(" ".join(names), entity_type) if 0 < len(names) < len(written) else ()

    def groups(
        self, value: str, types: Sequence[EntityType] = STEM_TYPES
    ) -> tuple[tuple[str, ...], ...]:
        """Return, for each word of a value, the tokens of the values of the index with this word.

        A recognizer can give a name one type in a record and another one in a question, so all
        types are searched. The word of more than `MOST_TOKENS` values has no group.
        """
        found: dict[int, set[str]] = {}
        for entity_type in types:
            try:
                words = self._index.stem_words(value, entity_type)
            except NotGrantedError:
                continue
            for number, word in enumerate(words):
                found.setdefault(number, set()).update(self._lookup.tokens.get(word, ()))
        return tuple(tuple(sorted(t)) for t in found.values() if 0 < len(t) <= MOST_TOKENS)

    def dates(self, value: str) -> tuple[str, ...] | None:
        """Return the tokens of a day in the index; `None` for what is no day, or is not known.

        A lookup without days is an older one, or of an index without them.
        """
        if not self._lookup.dates or not (forms := day_forms(value, asked=True)):
            return None
        try:
            words = [self._index.words(form, EntityType.DATE_TIME)[0] for form in forms]
        except NotGrantedError:
            return None
        return tuple(sorted({t for word in words for t in self._lookup.dates.get(word, ())}))

    def search_words(self, value: str, entity_type: EntityType) -> tuple[str, ...]:
        """Return the blind words of the values that a value of a question may stand for.

        A recognizer can give a name or a code one type in a record and another one in a question. A
        part of a name stands for all values with this part, unless they are too many.
        """
        codes = self._whole_codes(value) if codes_of(value) else ()
        if entity_type not in NAMED_TYPES:
            return codes
        per_type = (self.wholes(value, t) for t in NAMED_TYPES)
        few = (word for wholes in per_type if len(wholes) <= _MOST_VALUES for word in wholes)
        return (*codes, *few)

    def _whole_codes(self, value: str) -> tuple[str, ...]:
        """Return the blind words of a code under each type that a recognizer may give it."""
        found: list[str] = []
        for entity_type in CODE_TYPES:
            with suppress(NotGrantedError):
                found += self._index.words(value, entity_type)[:1]
        return tuple(found)
