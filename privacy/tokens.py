"""The grammar of tokens and placeholders, and one incremental scanner for both.

A *token* is an encrypted value in an index, a question or an answer:

    PERSON_[q2Zf3k...]      entity type, `_[`, the ciphertext (payload), `]`

A *placeholder* replaces a token in text that a model reads or writes: `[PERSON_1]`.

Models damage what they copy. `LOOSE` also finds tokens with the type in lower case, white space
inside, brackets escaped for Markdown or HTML, or no closing bracket. `privacy.inspection` decides
whether such a spelling can be repaired.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from sage_rag.privacy.entities import EntityType

MAX_PAYLOAD = 4096
"""The longest payload, in characters: about 3 kB of plain value. It limits how much text of a
stream the scanner holds back."""

_TYPES = "|".join(sorted((re.escape(t) for t in EntityType), key=len, reverse=True))
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)

_INNER = r"[^\[\]\s&]"
"""Excludes brackets in any spelling: an opener inside a payload would be read repeatedly."""

TOKEN = re.compile(rf"({_TYPES})_\[({_INNER}{{0,{MAX_PAYLOAD}}})\]")
"""Text in the form of a token; only its authentication tag shows that it is one."""

_OPENS = "_["


def tokens_in(text: str) -> list[str]:
    """Return the tokens in a text, in order."""
    return [match.group() for match in TOKEN.finditer(text)]


def may_have_token(text: str) -> bool:
    """Return whether a text may contain a token; much faster than a search for one."""
    return _OPENS in text


PLACEHOLDER = re.compile(rf"\[({_TYPES})_(\d{{1,6}})\]")


def _beginnings(openers: Iterable[str]) -> frozenset[str]:
    return frozenset(opener[:end] for opener in openers for end in range(1, len(opener)))


@dataclass(frozen=True, slots=True)
class Grammar:
    """The grammar of a markup, for an incremental scanner.

    `pattern`: an occurrence. `opener`: its first characters; `beginnings`: all proper prefixes of
    an opener, in lower case. `begun`: an opener and all text after it, where more text could
    complete the occurrence. `inner`: text that can follow without ending that state. `longest`: the
    maximum length of an occurrence in characters.
    """

    pattern: re.Pattern[str]
    opener: re.Pattern[str]
    beginnings: frozenset[str]
    begun: re.Pattern[str]
    inner: re.Pattern[str]
    longest: int

    def held_back(self, text: str) -> tuple[int, bool]:
        """Return the index from which `text` could be the beginning of an occurrence.

        The index is the text's length where there is none. The flag: whether an opener is there.
        """
        if self.opener.search(text):
            match = self.begun.search(text)
            if match:
                return match.start(), True
        tail = text[-_LONGEST_OPENER:].translate(_LOWER)
        for start in range(len(tail)):
            if tail[start:] in self.beginnings:
                return len(text) - len(tail) + start, False
        return len(text), False


_BRACKETS = ("[", "\\[", "&#91;", "&lsqb;", "&lbrack;")
_CLOSERS = r"(?:\\?\]|&#93;|&rsqb;|&rbrack;)"
_LONGEST_CLOSER = len("&rbrack;")
_AFTER_GAP = 512
"""The maximum length of the rest of a token after a line break."""
MIN_UNCLOSED = 20
"""A shorter run of Base64 characters is a word after a stray bracket, not ciphertext."""

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
    """Return an expression for a payload with up to two gaps of white space.

    `slack`: extra characters, for a part of a closing bracket.
    """
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
)
"""Tokens, damaged ones included. Groups: type, payload, payload without closing bracket."""

LOOK_ALIKE = re.compile(f"{LOOSE.pattern.pattern}|{PLACEHOLDER.pattern}")
"""Text that imitates our markup. It is protected as a value of type LITERAL: otherwise restoring
could change what a user wrote."""


class StreamReplacer:
    """Replace every occurrence of a grammar in a text that arrives in pieces.

    The concatenated output equals `grammar.pattern.sub(replace, whole_text)` for any split into
    pieces, unless `between` changes what is between occurrences. It holds back at most
    `grammar.longest` characters; the time is linear in the text.
    """

    def __init__(
        self,
        grammar: Grammar,
        replace: Callable[[re.Match[str]], str],
        between: Callable[[str], str] = str,
    ) -> None:
        """`between`: returns what the output has for the next text without an occurrence."""
        self._grammar = grammar
        self._replace = replace
        self._between = between
        self._held: list[str] = []
        self._size = 0
        self._open = False

    def feed(self, piece: str) -> str:
        """Accept the next piece; return the text that later pieces cannot change."""
        fits = self._size + len(piece) <= self._grammar.longest
        if self._open and fits and self._grammar.inner.fullmatch(piece):
            # Searching the held text again for every piece would take quadratic time.
            self._held.append(piece)
            self._size += len(piece)
            return ""
        text = "".join(self._held) + piece
        done, self._open = self._grammar.held_back(text)
        self._held, self._size = [text[done:]], len(text) - done
        return "".join(self._replaced(text, done))

    def flush(self) -> str:
        """End the text: return what was held back."""
        text = "".join(self._held)
        self._held, self._size, self._open = [], 0, False
        return "".join(self._replaced(text, len(text)))

    def _replaced(self, text: str, end: int) -> Iterator[str]:
        """Yield the text up to `end` with replacements.

        No occurrence extends past `end`, but the pattern can depend on the text after it, so the
        whole text is searched.
        """
        position = 0
        if self._grammar.opener.search(text, 0, end):
            for match in self._grammar.pattern.finditer(text):
                if match.start() >= end:
                    break
                yield self._between(text[position : match.start()])
                yield self._replace(match)
                position = match.end()
        yield self._between(text[position:end])


def token_type(token: str) -> EntityType:
    """Return the type of the value in a token."""
    return EntityType(token.partition("_[")[0])


def placeholders_in(text: str) -> frozenset[str]:
    """Return the placeholders in a text."""
    return frozenset(match.group() for match in PLACEHOLDER.finditer(text))


def readable_view(text: str) -> str:
    """Return the text with each token replaced by its type and a number: `person 1`.

    Embedders and rerankers read this, so that Base64 does not distort vectors. Equal tokens have
    equal numbers within the text, counted per type in order of appearance.
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
