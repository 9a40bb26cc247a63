"""The grammar of tokens and placeholders, and one incremental scanner for both.

A *token* is a value under encryption as it stands in an index, a question or an answer:

    PERSON_[q2Zf3k...]      entity type, `_[`, base64url of key id and ciphertext, `]`

A *placeholder* stands for a token where a model reads or writes text: `[PERSON_1]`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from privacy.entities import EntityType

MAX_PAYLOAD = 4096
"""Longest payload the scanner waits for, in characters: about 3 kB of plain value. It bounds
what a stream can make the scanner hold back."""

_TYPES = "|".join(sorted((re.escape(t) for t in EntityType), key=len, reverse=True))

TOKEN = re.compile(rf"({_TYPES})_\[([^\[\]\s]{{0,{MAX_PAYLOAD}}})\]")
"""Whatever claims to be a token; whether it is one, its authentication tag decides."""

PLACEHOLDER = re.compile(rf"\[({_TYPES})_(\d{{1,6}})\]")


@dataclass(frozen=True, slots=True)
class Grammar:
    """What an incremental scanner must know of a markup.

    `openers`: strings that can begin an occurrence; `body`: characters that may follow an
    opener before the closing `]`; `longest`: length of the longest occurrence, in characters.
    """

    pattern: re.Pattern[str]
    openers: frozenset[str]
    body: re.Pattern[str]
    longest: int

    def held_back(self, text: str) -> int:
        """Return the index from which `text` might be the beginning of an occurrence."""
        tail_start = max(0, len(text) - self.longest)
        for match in self.body.finditer(text, tail_start):
            return match.start()
        for length in range(min(len(text), max(map(len, self.openers)) - 1), 0, -1):
            tail = text[-length:]
            if any(opener.startswith(tail) for opener in self.openers):
                return len(text) - length
        return len(text)


TOKENS = Grammar(
    pattern=TOKEN,
    openers=frozenset(f"{t}_[" for t in EntityType),
    body=re.compile(rf"(?:{_TYPES})_\[[^\[\]\s]*\Z"),
    longest=max(map(len, EntityType)) + 2 + MAX_PAYLOAD,
)

PLACEHOLDERS = Grammar(
    pattern=PLACEHOLDER,
    openers=frozenset(f"[{t}_" for t in EntityType),
    body=re.compile(rf"\[(?:{_TYPES})_\d{{0,6}}\Z"),
    longest=max(map(len, EntityType)) + 8,
)


class StreamReplacer:
    """Replace every occurrence of a grammar in a text that arrives in pieces.

    The concatenated output equals `grammar.pattern.sub(replace, whole_text)`, however the text
    is cut. At most `grammar.longest` characters are ever held back.
    """

    def __init__(self, grammar: Grammar, replace: Callable[[re.Match[str]], str]) -> None:
        self._grammar = grammar
        self._replace = replace
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take the next piece; return what is certain by now."""
        text = self._held + piece
        done = self._grammar.held_back(text)
        # An occurrence that is complete never reaches into the held part: its `]` ends it.
        self._held = text[done:]
        return self._grammar.pattern.sub(self._replace, text[:done])

    def flush(self) -> str:
        """Return what was held back: the text has ended, so it was no occurrence."""
        rest, self._held = self._held, ""
        return rest


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
