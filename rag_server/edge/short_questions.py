"""Read short questions with the lookup of the index: which words are names, and which are words.

In a question without sentences ("mr lindqvist knee", "gout") a recognizer takes words for names,
and misses names in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sage_rag.agents.lexicon import lexicon as rule_lexicon
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.lookup import (
    NAMED_TYPES,
    codes_of,
)
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.lexicon import default_lexicon, fold
from sage_rag.privacy.recognizers.wordlists import TITLES
from sage_rag.privacy.spans import Span, remainder
from sage_rag.rag_server.edge.index_lookup import IndexLookup, is_known_name

_PART = re.compile(r"\S+")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_PERSON = (EntityType.PERSON,)
_PLACES = (EntityType.LOCATION, EntityType.ORGANIZATION)
_VAGUE_TYPES = (EntityType.MISC, EntityType.DEMOGRAPHIC, EntityType.SPECIAL_CATEGORY)
"""Types of groups, events and conditions: a recognizer takes "wrestling" for one in a question,
and for a word in a record."""
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s)", re.IGNORECASE)
"""A number in a row, or a decade: "5th", "1990s"."""
_SHORTEST_NAME = 3
_SCORE = 0.5


def _is_code(value: str) -> bool:
    """Return whether a value is one word with digits, and no number in a row."""
    return len(value.split()) == 1 and bool(codes_of(value)) and not _ORDINAL.fullmatch(value)


@dataclass(frozen=True)
class ShortQuestionRecognizer:
    """Wraps a recognizer: removes public words from its names, and adds names that it missed.

    A name that the index has under another type gets that type: then its token is the record's.
    `in_capitals`: whether the text is, which many of its words ask. `is_proven`: whether the index
    is known to be the owner's; one that a holder of a grant may have made only adds names.
    """

    recognizer: Recognizer
    index: IndexLookup
    in_capitals: bool = False
    is_proven: bool = True

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the wrapped recognizer."""
        return self.recognizer.fingerprint

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of private values."""
        return replace(self, in_capitals=text.isupper())._recognized(text)

    def _recognized(self, text: str) -> Sequence[Span]:
        if not self.is_proven:
            recognized = list(self.recognizer.recognize(text))
            covered = {i for span in recognized for i in range(span.start, span.end)}
            return [*recognized, *self._missed(text, covered)]
        # The type decides what is removed, and what is left can have another type in the index.
        typed = (self._as_in_the_index(text, span) for span in self.recognizer.recognize(text))
        own = (span for s in typed for span in self._without(text, s))
        found = [self._as_in_the_index(text, span) for span in own]
        covered = {i for span in found for i in range(span.start, span.end)}
        return [*found, *self._missed(text, covered)]

    def _as_in_the_index(self, text: str, span: Span) -> Span:
        """Return a span of a name with the type that the index has for its value.

        A code can be part of a place there: "the van, GX-9031"; else it is one, also after "in". Of
        two words in lower case, taken for a group, one can be a person: "castellane watch".
        """
        value = text[span.start : span.end]
        types: tuple[EntityType, ...] = ()
        if span.entity_type in NAMED_TYPES:
            types = self.index.types_of(value)
            if span.entity_type in _PLACES and _is_code(value):
                types = types or (EntityType.ID,)
        elif span.entity_type is EntityType.ID and codes_of(value):
            types = self.index.types_of(value, _PLACES)
        elif span.entity_type in _VAGUE_TYPES and value.islower():
            types = _PERSON if self._is_person_and_word(text, span) else ()
        return (
            replace(span, entity_type=types[0]) if types and span.entity_type not in types else span
        )

    def _without(self, text: str, span: Span) -> Iterator[Span]:
        """Yield a span without the public words at its ends; nothing if it has no other words.

        A span of a vague type is left whole, or out; of words and a private code, the code is left.

        An organisation or a place is left whole unless all its words are public: "Harbour Street
        Surgery" consists of ordinary words. A word after a title is a name. A name of the index
        that a recognizer took together with an abbreviation or a code is a name: "keller inr".
        Next to a person of the index, a word of an organisation's name is a word: "keller foot",
        where there is a Foot Clinic.
        """
        words = list(_WORD.finditer(text, span.start, span.end))
        if code := self._code_in(text, span):
            yield code
            return
        if span.entity_type in _VAGUE_TYPES:
            if not words or not all(self._is_public(text, match) for match in words):
                yield span
            return
        if span.entity_type is EntityType.ID:
            if not self.index.is_public_code(text[span.start : span.end]):
                yield from self._person_and_code(text, span)
            return
        if span.entity_type not in NAMED_TYPES:
            yield span
            return
        private = [match for match in words if not self._is_public(text, match)]
        is_person = span.entity_type is EntityType.PERSON
        if is_person and any(self._is_person(match) for match in private):
            private = [match for match in private if not self._is_public(text, match, _PERSON)]
        if not words:
            yield span
        elif private and not is_person:
            yield self._without_codes(text, span)
        elif private and any(fold(match.group()) not in TITLES for match in private):
            first, last = private[0].start(), private[-1].end()
            start = span.start if private[0] is words[0] else first
            end = span.end if private[-1] is words[-1] else last
            yield replace(span, start=start, end=end)

    def _person_and_code(self, text: str, span: Span) -> Iterator[Span]:
        """Yield the span of a code, and a person of the index in it as a span of its own."""
        parts = list(_PART.finditer(text, span.start, span.end))
        people = [part for part in parts if self._is_person(part)]
        if not 0 < len(people) < len(parts):
            yield self._without_codes(text, span)
            return
        start, end = people[0].start(), people[-1].end()
        person = replace(span, start=start, end=end, entity_type=EntityType.PERSON)
        yield person
        for rest in remainder(span, [person]):
            left = list(_PART.finditer(text, rest.start, rest.end))
            if left:
                code = replace(rest, start=left[0].start(), end=left[-1].end())
                yield from self._without(text, code)

    def _code_in(self, text: str, span: Span) -> Span | None:
        """Return the private code in what was taken for a title or a group: "lorry 4T19".

        The other words are ordinary ones. `None` where the index has the code as a part of a name,
        or in clear.
        """
        parts = list(_PART.finditer(text, span.start, span.end))
        codes = [part for part in parts if codes_of(part.group())]
        if span.entity_type not in _VAGUE_TYPES or len(codes) != 1 or len(parts) == 1:
            return None
        (code,) = codes
        if not _is_code(code.group()) or self.index.is_code(code.group()):
            return None
        if not all(self._is_word(part.group()) for part in parts if part is not code):
            return None
        if self.index.groups(code.group()) or self.index.types_of(code.group()):
            return None
        return replace(span, start=code.start(), end=code.end(), entity_type=EntityType.ID)

    def _without_codes(self, text: str, span: Span) -> Span:
        """Return a span without codes at its ends, if a name of the index is left.

        A private code is without the ordinary words at its ends, too.
        """
        parts = list(_PART.finditer(text, span.start, span.end))
        is_id = span.entity_type is EntityType.ID
        private = [
            part
            for part in parts
            if not (self.index.is_code(part.group()) or (is_id and self._is_word(part.group())))
        ]
        if not 0 < len(private) < len(parts):
            return span
        start, end = private[0].start(), private[-1].end()
        types = self.index.types_of(text[start:end])
        if types:
            return replace(span, start=start, end=end, entity_type=types[0])
        return replace(span, start=start, end=end) if is_id else span

    def _is_word(self, word: str) -> bool:
        """Return whether a word next to a code may be sent.

        An ordinary word that is no known name may be, even if the index does not hold it.
        """
        folded = fold(word)
        is_plain = self.index.is_plain(word) or self.index.is_public(word, _PERSON)
        return is_plain or (default_lexicon().is_word(folded) and not is_known_name(folded))

    def _is_person_and_word(self, text: str, span: Span) -> bool:
        """Return whether a span is two words, one of a person's name and no public one."""
        words = list(_WORD.finditer(text, span.start, span.end))
        names = (word for word in words if not self._is_public(text, word))
        return len(words) == 2 and any(map(self._is_person, names))

    def _is_person(self, match: re.Match[str]) -> bool:
        return bool(self.index.types_of(match.group(), _PERSON))

    def _is_public(
        self, text: str, match: re.Match[str], types: Sequence[EntityType] = NAMED_TYPES
    ) -> bool:
        written = match.group()
        before = _WORD.findall(text[max(0, match.start() - 20) : match.start()])
        if before and fold(before[-1]) in TITLES:
            return False
        if self.index.is_abbreviation(written):
            return True
        is_small = written.islower() or self.in_capitals
        if not is_small and text[: match.start()].strip():
            return False  # a capital inside a sentence marks a name
        return self.index.is_public(written, types)

    def _missed(self, text: str, covered: set[int]) -> Iterator[Span]:
        """Yield words outside of the spans that are names of the index, also in the plural.

        An ordinary word is one only as a part of a person's name, and if the index does not hold it
        in clear: "tull" is an English word, but not one of an index that has it as Ms Tull alone.
        """
        stop = rule_lexicon().stop_words
        for match in _WORD.finditer(text):
            written, start = match.group(), match.start()
            if start in covered or fold(written) in stop:
                continue
            for name in dict.fromkeys((written, written.removesuffix("s").removesuffix("S"))):
                if len(name) < _SHORTEST_NAME:
                    continue
                types = self._missed_types(name)
                if types:
                    yield Span(start, start + len(name), types[0], _SCORE)
                    break

    def _missed_types(self, name: str) -> tuple[EntityType, ...]:
        """Return the types of the index for a word that the recognizer passed over."""
        if not default_lexicon().is_word(fold(name)):
            return self.index.types_of(name)
        return () if self.index.has_word(name) else self.index.types_of(name, _PERSON)
