"""Keep restored values out of the names of hosts, in answers.

A hostile server could write `PERSON_[...].its.own.host`. Some clients make a link of a host's name
without a scheme, and ask for its address or load a preview before anyone clicks: then the host's
name server receives the restored name.
"""

from __future__ import annotations

import re

_CHARACTER = r"[^\s!-,./:-@\[-^`{-~]|\\u(?!002e)[0-9a-f]{4}"
"""One of a host's name, with what browsers leave out or encode, such as a soft hyphen: anything but
white space and the other ASCII signs. In JSON source it can be an escape."""
_DOT = r"(?:\\?\.|\\u002e|&(?:#0{0,5}46|#x0{0,4}2e|period);)"
"""Also as JSON, Markdown and HTML spell it (CommonMark 0.31, §2.4 and §2.5)."""
_LABEL = rf"{_DOT}(?:{_CHARACTER})+"
_IGNORED = r"[\u00ad\u034f\u180b-\u180d\u200b-\u200d\u2060\u2064\ufe00-\ufe0f\ufeff]"
"""Characters that a host's name loses (UTS 46)."""
_BEGIN = rf"(?:(?=[^\W\d_]|{_IGNORED})|\\u(?!002e)[0-9a-f]{{4}})"
"""The beginning of a label; the space comes after an escape, the start of which may be sent."""
_NEXT_LABEL = re.compile(rf"(?:{_CHARACTER})*(?:{_LABEL})+?{_DOT}{_BEGIN}", re.IGNORECASE)
"""Two labels make a host of somebody. After one, "keller.pdf" is a file, and 3.5 a number."""
_OPEN = re.compile(
    rf"(?:{_CHARACTER})*(?P<labels>(?:{_LABEL})*)"
    rf"(?P<end>{_DOT}?(?:\\(?:u[0-9a-f]{{0,4}})?|&[#a-z0-9]{{0,8}})?)",
    re.IGNORECASE,
)


class HostTracker:
    """Follow what stands directly after a restored value, in bounded memory."""

    def __init__(self) -> None:
        self._after: str | None = None
        """The end of what follows a value in its word, if that may begin a host's name."""

    def add_value(self) -> None:
        """Read a restored value."""
        self._after = ""

    def skip_token(self) -> None:
        """Read a token that stays one."""
        self._after = None

    def read(self, text: str) -> str:
        """Return the next piece, with a space that keeps its text from making a host's name.

        The text may be cut anywhere: "Maria Keller.its.host" becomes "Maria Keller.its. host".
        """
        if self._after is None or not text:
            return text
        joined = self._after + text
        if found := _NEXT_LABEL.match(joined):
            at = found.end() - len(self._after)
            self._after = None
            return f"{text[:at]} {text[at:]}"
        still = _OPEN.fullmatch(joined)
        self._after = None if still is None else _short(still)
        return text


def _short(found: re.Match[str]) -> str:
    """Return what to store: that there is a label, and the end, which may be a part of a dot."""
    return (".x" if found["labels"] else "") + found["end"]
