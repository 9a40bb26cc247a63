"""The grammar of tokens and placeholders, and one incremental scanner for both.

A *token* is a value under encryption as it stands in an index, a question or an answer:

    PERSON_[q2Zf3k...]      entity type, `_[`, what a cipher made of the value, `]`

A *placeholder* stands for a token where a model reads or writes text: `[PERSON_1]`.

Models damage what they copy. `LOOSE` also finds tokens with the type in lower case, white space
in them, brackets escaped for Markdown or HTML, or no closing bracket. Whether such a spelling can
be repaired is for `privacy.restore` to find out.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from sage_rag.privacy.entities import EntityType

MAX_PAYLOAD = 4096
"""Longest payload the scanner waits for, in characters: about 3 kB of plain value. It bounds
what a stream can make the scanner hold back."""

_TYPES = "|".join(sorted((re.escape(t) for t in EntityType), key=len, reverse=True))
_LONGEST_TYPE = max(map(len, EntityType))
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)

_INNER = r"[^\[\]\s&]"
"""No bracket, in no spelling: an opener inside a payload would be looked at again and again."""

TOKEN = re.compile(rf"({_TYPES})_\[({_INNER}{{0,{MAX_PAYLOAD}}})\]")
"""Whatever claims to be a token; whether it is one, its authentication tag decides."""

PLACEHOLDER = re.compile(rf"\[({_TYPES})_(\d{{1,6}})\]")


def _beginnings(openers: Iterable[str]) -> frozenset[str]:
    return frozenset(opener[:end] for opener in openers for end in range(1, len(opener)))


@dataclass(frozen=True, slots=True)
class Grammar:
    """What an incremental scanner must know of a markup.

    `pattern`: an occurrence. `opener`: how one begins, for certain; `beginnings`: all that can
    grow into an opener, in lower case where `any_case`. `begun`: from an opener to the end of a
    text that could still grow into an occurrence. `inner`: text that changes nothing about that.
    `longest`: no occurrence has more characters.
    """

    pattern: re.Pattern[str]
    opener: re.Pattern[str]
    beginnings: frozenset[str]
    begun: re.Pattern[str]
    inner: re.Pattern[str]
    longest: int
    any_case: bool = False

    def held_back(self, text: str) -> tuple[int, bool]:
        """Return the index from which `text` might be the beginning of an occurrence.

        Also whether an opener stands there. The index is the text's length where none might.
        """
        if self.opener.search(text):
            match = self.begun.search(text)
            if match:
                return match.start(), True
        tail = text[-_LONGEST_OPENER:]
        if self.any_case:
            tail = tail.translate(_LOWER)
        for start in range(len(tail)):
            if tail[start:] in self.beginnings:
                return len(text) - len(tail) + start, False
        return len(text), False


_PLACEHOLDER_OPENERS = [f"[{t}_" for t in EntityType]

PLACEHOLDERS = Grammar(
    pattern=PLACEHOLDER,
    opener=re.compile(rf"\[(?:{_TYPES})_"),
    beginnings=_beginnings(_PLACEHOLDER_OPENERS),
    begun=re.compile(rf"\[(?:{_TYPES})_\d{{0,6}}\Z"),
    inner=re.compile(r"\d*"),
    longest=_LONGEST_TYPE + 9,
)

_BRACKETS = ("[", "\\[", "&#91;", "&lsqb;", "&lbrack;")
_CLOSERS = r"(?:\\?\]|&#93;|&rsqb;|&rbrack;)"
_LONGEST_CLOSER = len("&rbrack;")
_AFTER_GAP = 512
"""A token wrapped at the end of a line goes on for some lines at most, and this bounds it."""
MIN_UNCLOSED = 20
"""Fewer Base64 characters than this are no ciphertext, but a word after a stray bracket."""

_LOOSE_TYPES = "|".join(
    sorted((re.escape(t).replace("_", r"\\?_") for t in EntityType), key=len, reverse=True)
)
_LOOSE_OPENER = rf"(?ai:({_LOOSE_TYPES})\\?_(?:\\?\[|&\#91;|&lsqb;|&lbrack;))"
_LOOSE_OPENERS = [
    name.lower() + underscore + bracket
    for t in EntityType
    for name, underscore, bracket in product({t, t.replace("_", "\\_")}, ("_", "\\_"), _BRACKETS)
]
_LONGEST_OPENER = max(map(len, _LOOSE_OPENERS))


def _payload(slack: int, lazy: str) -> str:
    """A payload with up to two gaps of white space; `slack` leaves room for half a closer."""
    first, later = MAX_PAYLOAD + slack, _AFTER_GAP + slack
    return (
        rf"{_INNER}{{0,{first}}}{lazy}(?:\s{{1,3}}{_INNER}{{1,{later}}}{lazy}){{0,2}}{lazy}"
        r"\s{0,3}"
    )


LOOSE = Grammar(
    pattern=re.compile(
        rf"{_LOOSE_OPENER}(?:({_payload(0, '?')}){_CLOSERS}"
        rf"|([A-Za-z0-9_+/=-]{{{MIN_UNCLOSED},{MAX_PAYLOAD}}})(?=[\s,;:.!?)\"'<]|\Z))"
    ),
    opener=re.compile(_LOOSE_OPENER),
    beginnings=_beginnings(_LOOSE_OPENERS),
    begun=re.compile(rf"{_LOOSE_OPENER}{_payload(_LONGEST_CLOSER, '')}(?:&[#0-9a-z]{{0,6}})?\Z"),
    inner=re.compile(rf"{_INNER}*"),
    longest=_LONGEST_OPENER + MAX_PAYLOAD + 2 * _AFTER_GAP + 9 + 3 * _LONGEST_CLOSER,
    any_case=True,
)
"""Tokens and what models make of them. Groups: type, payload, payload without closing bracket."""

LOOK_ALIKE = re.compile(f"{LOOSE.pattern.pattern}|{PLACEHOLDER.pattern}")
"""Text that restoring could change or a model could take for markup: it has to travel as a value
of type LITERAL, or what a user wrote would not come back as it was."""


class StreamReplacer:
    """Replace every occurrence of a grammar in a text that arrives in pieces.

    The concatenated output equals `grammar.pattern.sub(replace, whole_text)`, however the text
    is cut. At most `grammar.longest` characters are ever held back, and the time is linear in
    the text, whatever the pieces.
    """

    def __init__(self, grammar: Grammar, replace: Callable[[re.Match[str]], str]) -> None:
        self._grammar = grammar
        self._replace = replace
        self._held: list[str] = []
        self._size = 0
        self._open = False

    def feed(self, piece: str) -> str:
        """Take the next piece; return what is certain by now."""
        fits = self._size + len(piece) <= self._grammar.longest
        if self._open and fits and self._grammar.inner.fullmatch(piece):
            # Searching what is held again for every character would take quadratic time.
            self._held.append(piece)
            self._size += len(piece)
            return ""
        text = "".join(self._held) + piece
        done, self._open = self._grammar.held_back(text)
        self._held, self._size = [text[done:]], len(text) - done
        return "".join(self._replaced(text, done))

    def flush(self) -> str:
        """Return what was held back: the text has ended."""
        text = "".join(self._held)
        self._held, self._size, self._open = [], 0, False
        return "".join(self._replaced(text, len(text)))

    def _replaced(self, text: str, end: int) -> Iterator[str]:
        """Yield the text up to `end`, replaced.

        An occurrence never reaches across `end`; but whether it is one may depend on what
        follows, which is why all of the text is searched.
        """
        position = 0
        if self._grammar.opener.search(text, 0, end):
            for match in self._grammar.pattern.finditer(text):
                if match.start() >= end:
                    break
                yield text[position : match.start()]
                yield self._replace(match)
                position = match.end()
        yield text[position:end]


def readable_view(text: str) -> str:
    """Return the text with each token as its type and a number: `person 1`.

    Embedders and rerankers read this, so that Base64 does not pollute vectors. Equal tokens get
    equal numbers within the text, in order of appearance per type.
    """
    numbers: dict[str, int] = {}
    counts: dict[str, int] = {}

    def name(match: re.Match[str]) -> str:
        token, entity_type = match.group(0), match.group(1)
        if token not in numbers:
            counts[entity_type] = counts.get(entity_type, 0) + 1
            numbers[token] = counts[entity_type]
        return f"{entity_type.lower().replace('_', ' ')} {numbers[token]}"

    return TOKEN.sub(name, text)
