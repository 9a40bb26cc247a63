"""The values that an edge restored, so that a server cannot have them sent back in clear.

Chat clients send an answer back with the next question. A hostile server could write "the
PERSON_[...] syndrome": a recognizer reads the restored name as a disease, and would leave it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from sage_rag.common.exceptions import ProtectionError
from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.lookup import NAMED_TYPES
from sage_rag.privacy.policy import Operator, OperatorChoice, Policy
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.lexicon import default_lexicon, fold
from sage_rag.privacy.spans import Span, remainder, resolve_overlaps
from sage_rag.privacy.words import UNSPACED_RANGES
from sage_rag.rag_server.edge.memory_file import MemoryFile

MOST_VALUES = 500_000
"""About 250 MB in memory and 7 s at the start: more values than most corpora have."""
_SHORTEST = 4
"""Fewer letters and digits are found as a whole word only, since any text contains them."""
_ENDS = re.compile(r"^[\W_]+|['’]s$|[\W_]+$")
_RUN = re.compile(r"[^\W_]+")


class ShownValues:
    """Finds in a text the values that were shown before, in time linear in the text.

    Guarantees: no value is forgotten. In a text of the server a value is found wherever it occurs
    in the same spelling, a short one (`is_short`) where it is a whole word. In another spelling
    (case, accents, the signs between its letters and digits) it is found as whole words, unless it
    is short or an ordinary word, such as the name "Will".
    Does not guarantee: finding a part of a value; remembering a value after a restart without a
    file.
    """

    def __init__(self, file: MemoryFile | None = None, most: int = MOST_VALUES) -> None:
        """`file`: where the values are kept; without it, only in memory.

        Raises:
            ProtectionError: when the file is damaged, or of another keyset.
        """
        self._file = file
        self._most = most
        self._spelled: dict[str, EntityType] = {}
        self._folded: dict[str, EntityType] = {}
        """Values that are found in another spelling, by their letters and digits."""
        self._lengths: dict[str, tuple[int, ...]] = {}
        """How many letters and digits the values have that begin with some of them."""
        self._sizes: set[int] = set()
        """How long the keys of `_lengths` are."""
        self._short_lengths: dict[str, tuple[int, ...]] = {}
        """How long the short values are that begin with a word."""
        self._lock = threading.Lock()
        self._read_file()

    def add(self, value: str, entity_type: EntityType) -> None:
        """Keep a value that a user is about to read, with the type of its token.

        Raises:
            ProtectionError: when it cannot be kept; then it must not be shown.
        """
        core = _core(value)
        with self._lock:
            if not core or core in self._spelled:
                return
            if len(self._spelled) >= self._most:
                raise ProtectionError(
                    f"the memory of restored values is full: it has {self._most} of them",
                    hint="move its file away, start the edge again, and begin new conversations",
                )
            if self._file is not None:
                self._file.append(core, entity_type)
            self._index(core, entity_type)

    def spans(self, text: str, *, by_server: bool) -> tuple[Span, ...]:
        """Return the spans of shown values, disjoint; values that overlap are one span.

        In a text that the server did not write, only direct identifiers that are no ordinary word
        count: a user who saw the name "May" may ask about the month.

        Raises:
            ProtectionError: when the file can no longer be read.
        """
        with self._lock:
            self._read_file()
            if not self._spelled:
                return ()
            found = [*self._found_long(text, by_server), *self._found_short(text, by_server)]
        return tuple(_merged(found))

    def _read_file(self) -> None:
        for core, entity_type in self._file.news() if self._file is not None else ():
            self._index(core, entity_type)

    def _index(self, core: str, entity_type: EntityType) -> None:
        self._spelled.setdefault(core, entity_type)
        if is_short(core):
            first = _RUN.match(core)
            _add_length(self._short_lengths, first.group() if first else core, len(core))
            return
        letters, _ = _folded(core)
        if _is_distinctive(core):
            self._folded.setdefault(letters, entity_type)
        _add_length(self._lengths, letters[:_SHORTEST], len(letters))
        self._sizes.add(min(len(letters), _SHORTEST))

    def _found_long(self, text: str, by_server: bool) -> Iterator[Span]:
        letters, places = _folded(text)
        for size in self._sizes:
            for at in range(len(letters) - size + 1):
                for length in self._lengths.get(letters[at : at + size], ()):
                    if at + length > len(letters):
                        continue
                    start, end = places[at], places[at + length - 1] + 1
                    folded = letters[at : at + length]
                    if found := self._long_at(text, start, end, folded, by_server):
                        yield Span(start, end, found)
                        break

    def _long_at(
        self, text: str, start: int, end: int, folded: str, by_server: bool
    ) -> EntityType | None:
        """Return the type of a value at a place where its letters and digits occur."""
        spelled = text[start:end]
        is_whole = _is_whole(text, start, end)
        found = self._spelled.get(spelled) or (self._folded.get(folded) if is_whole else None)
        if found is None or by_server:
            return found
        is_one = _is_several(spelled) or (is_whole and _is_distinctive(spelled))
        return found if is_one and _is_direct(found) else None

    def _found_short(self, text: str, by_server: bool) -> Iterator[Span]:
        for match in _RUN.finditer(text) if self._short_lengths else ():
            for length in self._short_lengths.get(match.group(), ()):
                start, end = match.start(), match.start() + length
                found = self._spelled.get(text[start:end])
                if found is None or not _is_whole(text, start, end):
                    continue
                if by_server or (_is_several(text[start:end]) and _is_direct(found)):
                    yield Span(start, end, found)
                    break


def is_short(value: str) -> bool:
    """Return whether a value has too few letters and digits to be found inside words.

    In scripts without spaces between words, one character is as much as a word.
    """
    letters = [c for c in value[: 4 * _SHORTEST] if c.isalnum()]
    if len(letters) >= _SHORTEST or len(value) > 4 * _SHORTEST:
        return False
    return not any(first <= ord(c) <= last for c in letters for first, last in UNSPACED_RANGES)


def _core(value: str) -> str:
    """Return a value without the signs at its ends and without a possessive `'s`."""
    while (core := _ENDS.sub("", value)) != value:
        value = core
    return core


def _add_length(lengths: dict[str, tuple[int, ...]], beginning: str, length: int) -> None:
    known = lengths.get(beginning, ())
    if length not in known:
        lengths[beginning] = tuple(sorted({*known, length}, reverse=True))


@lru_cache(maxsize=65_536)
def _is_distinctive(value: str) -> bool:
    """Return whether a long value can hardly be an ordinary word of a text."""
    return not value.isalpha() or not default_lexicon().is_word(fold(value))


def _is_several(value: str) -> bool:
    return any(c.isspace() or c.isdigit() for c in value)


def _is_direct(entity_type: EntityType) -> bool:
    return identifiability(entity_type) is Identifiability.DIRECT


def _is_whole(text: str, start: int, end: int) -> bool:
    """Return whether a part of a text is not inside a word."""
    return not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum())


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """Return the letters and digits of a text, folded, and where in the text each is."""
    if text.isascii():
        places = [at for at, c in enumerate(text) if c.isalnum()]
        return "".join(filter(str.isalnum, text.lower())), places
    folded = [(letter, at) for at, c in enumerate(text) for letter in _folded_character(c)]
    return "".join(letter for letter, _ in folded), [at for _, at in folded]


@lru_cache(maxsize=65_536)
def _folded_character(character: str) -> str:
    folded = "".join(filter(str.isalnum, fold(character)))
    return folded or (character if character.isalnum() else "")


def _merged(spans: Sequence[Span]) -> Iterator[Span]:
    """Yield disjoint spans that cover the same characters; the longest of some gives its type."""
    whole: Span | None = None
    longest = 0
    for span in sorted(spans, key=lambda s: (s.start, -len(s))):
        if whole is None or span.start >= whole.end:
            if whole is not None:
                yield whole
            whole, longest = span, len(span)
            continue
        entity_type = span.entity_type if len(span) > longest else whole.entity_type
        longest = max(longest, len(span))
        whole = Span(whole.start, max(whole.end, span.end), entity_type)
    if whole is not None:
        yield whole


@dataclass(frozen=True)
class ShownRecognizer:
    """Wraps a recognizer for one text: adds the spans of the values that were shown.

    `encrypted`: in a user's own text, a shown value inside a longer value of these types is a part
    of that one. "Xenia Ivanova" is one name, though "Ivanova" alone was shown.
    """

    recognizer: Recognizer
    shown: Sequence[Span]
    encrypted: frozenset[EntityType] = frozenset()

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the wrapped recognizer."""
        return self.recognizer.fingerprint

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of private values; a shown value is a span of its own, or inside one.

        A longer value around it could be made coarser, and the rest of it be this one: so it is a
        span of its own unless the longer one becomes a token as a whole.
        """
        found = self.recognizer.recognize(text)
        shown = [self._typed(span, found) for span in self.shown]
        alone = [s for s in shown if not self._is_inside(s, resolve_overlaps(found))]
        spans = _divided(found, alone)
        left = [s for s in shown if s not in alone]
        whole = resolve_overlaps(spans) if left else []
        return spans if all(self._is_inside(s, whole) for s in left) else _divided(found, shown)

    def _typed(self, shown: Span, found: Sequence[Span]) -> Span:
        """Return a shown value as the name that the recognizer takes it for.

        A code that was shown may be a name that a question misread: "pillai a1c".
        """
        if shown.entity_type in NAMED_TYPES:
            return shown
        names = (
            span
            for span in found
            if (span.start, span.end) == (shown.start, shown.end)
            and span.entity_type in self.encrypted.intersection(NAMED_TYPES)
        )
        return next(names, shown)

    def _is_inside(self, shown: Span, spans: Sequence[Span]) -> bool:
        """Return whether one of these spans, with a type that is encrypted, is longer around it."""
        return any(
            span.entity_type in self.encrypted
            and span.start <= shown.start
            and shown.end <= span.end
            and len(span) > len(shown)
            for span in spans
        )


def _divided(found: Sequence[Span], shown: list[Span]) -> list[Span]:
    """Return shown values, and what they leave of the others."""
    return [*shown, *(rest for span in found for rest in remainder(span, shown))]


def encrypting(policy: Policy, shown: Sequence[Span]) -> Policy:
    """Return the policy with the types of shown values as tokens: the server had these tokens."""
    types = (span.entity_type for span in shown)
    tokens = dict.fromkeys(types, OperatorChoice(Operator.ENCRYPT))
    return replace(policy, choices={**policy.choices, **tokens})
