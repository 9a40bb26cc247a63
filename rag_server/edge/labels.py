"""Keep restored values out of the labels of Markdown references.

A hostile server that guesses names could write `![PERSON_[...]]` and a definition for each guess,
such as `[maria keller]: https://its.own.host/17`. A client that shows images fetches the address of
the guess that equals the restored name.

Source: CommonMark 0.31, §4.7 (definitions) and §6.3 (labels).
"""

from __future__ import annotations

import re

_MARKS = re.compile(r"[\[\]:\\\n]")


class LabelTracker:
    """Track the brackets of a growing Markdown text, in bounded memory."""

    def __init__(self) -> None:
        self._last = ""
        self._escaped = False
        self._is_open = self._is_reference = self._has_value = False
        self._ends_label = False
        self._line_is_blank = True

    @property
    def is_open(self) -> bool:
        """Whether text appended here would be in brackets."""
        return self._is_open

    @property
    def in_reference(self) -> bool:
        """Whether text appended here would be the label of an image, or follow another label."""
        return self._is_open and self._is_reference

    @property
    def ends_label(self) -> bool:
        """Whether a colon appended here would define a label that contains a value."""
        return self._ends_label

    def add_value(self, value: str) -> None:
        """Read a restored value."""
        self.read(value)
        self._has_value = self._is_open

    def skip_token(self) -> None:
        """Read a token that stays one. It ends with a bracket of its own."""
        self._last = "]"

    def read(self, text: str) -> str:
        """Read the next piece; return it so that it defines no label that contains a value.

        The text may be cut anywhere. A space before the colon makes a definition ordinary text.
        """
        if not text:
            return ""
        parts, done, line = [], 0, 0
        escaped, ended = (0 if flag else -1 for flag in (self._escaped, self._ends_label))
        for match in _MARKS.finditer(text):
            mark, at = match.group(), match.start()
            if mark == "\n":
                if self._line_is_blank and not text[line:at].strip():
                    self._is_open = False  # a label has no blank line
                self._line_is_blank, line = True, at + 1
            elif mark == "\\":
                escaped = at + 1 if at != escaped else -1
            elif mark == ":" and at == ended:
                parts += [text[done:at], " "]
                done = at
            elif mark == "[" and at != escaped:
                before = text[at - 1] if at else self._last
                self._is_open, self._is_reference = True, before in ("!", "]")
                self._has_value = False
            elif mark == "]" and at != escaped:
                ended = at + 1 if self._is_open and self._has_value else -1
                self._is_open = False
        self._escaped, self._ends_label = escaped == len(text), ended == len(text)
        self._line_is_blank = self._line_is_blank and not text[line:].strip()
        self._last = text[-1]
        return "".join([*parts, text[done:]])
