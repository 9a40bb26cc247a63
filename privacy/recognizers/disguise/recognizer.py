"""Let any recognizer also read the text without disguises.

`docs/recognition.md` lists the disguises that are removed and those that are not.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import unquote

from sage_rag.privacy.occurrences import find_repetitions
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.disguise.aligned_text import AlignedText, Edit
from sage_rag.privacy.recognizers.disguise.characters import (
    control_edits,
    emoji_edits,
    look_alike_edits,
    visible_edits,
)
from sage_rag.privacy.recognizers.disguise.encoding import encoding_edits
from sage_rag.privacy.recognizers.disguise.rereading import changed_parts
from sage_rag.privacy.spans import Span

VERSION = 4
"""Raised with every change of how disguises are removed."""

_SURE = 0.5
"""Score from which a disguised name is searched in the rest of the text."""

_ESCAPE_ROUNDS = 3
"""`&amp;#64;` and `%2540` are escaped twice; no known software escapes more often."""

_ESCAPE = re.compile(
    r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});"
    r"|(?:%[0-9A-Fa-f]{2})+"
    r"|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}"
    r"|=\r?\n|(?<=\w)=40(?=\w)"
)
_TAG = re.compile(
    r"(?<=[\w@.])(?:</?(?:a|b|bdi|bdo|em|font|i|mark|small|span|strong|sub|sup|u|wbr)\b[^<>]{0,200}>"
    r"|<!--(?:(?!-->).){0,200}-->)+(?=[\w@.])",
    re.IGNORECASE | re.DOTALL,
)
_SPACED = re.compile(
    r"(?<![^\W_])(?<![^\W_][.'’])(?:[^\W_](?:[ ][^\W_]){3,}|[^\W\d_](?:[ ][^\W\d_]){2}"
    r"|[^\W_](?P<sign>[-._*·|~/+])[^\W_](?:(?P=sign)[^\W_]){2,})(?![^\W_])"
)
_AT = "at|arroba|chiocciola|ät|chez"
_DOT = "dot|period|punkt|punto|point"
_BRACKETED = re.compile(
    rf"[ ]?[(\[{{<（【][ ]?(?:(?P<at>@|{_AT})|\.|{_DOT})[ ]?[)\]}}>）】][ ]?"
    rf"|[ ](?P<bare>{_AT})[ ](?=[\w-]{{1,63}}[ ]?[(\[{{<（【][ ]?(?:\.|{_DOT}))",
    re.IGNORECASE,
)
_SPELT = re.compile(
    r"(?<![\w@])[\w.+-]{1,64}(?:[ ](?:dot|period|underscore|dash|hyphen|plus)[ ][\w.+-]{1,64}){0,5}"
    rf"(?:[ ](?:@|{_AT})[ ]|@)(?!(?:the|an?|this|that|one)[ ])"
    r"[\w-]{1,63}(?:[ ](?:dash|hyphen)[ ][\w-]{1,63}){0,3}"
    rf"(?:(?:[ ](?:{_DOT})[ ]|\.)[\w-]{{1,63}}){{0,3}}[ ](?:{_DOT})[ ][a-z]{{2,12}}\b",
    re.IGNORECASE,
)
_SPELT_SIGN = re.compile(rf"[ ](@|{_AT}|{_DOT}|underscore|dash|hyphen|plus)[ ]", re.IGNORECASE)
_SIGNS = {"underscore": "_", "dash": "-", "hyphen": "-", "plus": "+"}
_SIGNS |= dict.fromkeys(("@", *_AT.split("|")), "@")
_SPACED_ADDRESS = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}(?:[ ][._-][ ][\w.+-]{1,64}){0,3}\s{0,3}@\s{0,3}[\w-]{1,63}"
    r"(?:\s{0,2}\.[\w-]{1,63}|\s{1,2}\.\s{1,2}[\w-]{1,63}"
    r"|\.\r?\n[ >\t]{0,8}(?:com|org|net|edu|info|de|uk|fr|es|cn)\b){1,5}"
)
_WHITE = re.compile(r"\s+(?:>\s*)?")
_SCHEME = re.compile(r"\bh(?:xx|tt)p(s?)(?::|\[:\])(?=//)", re.IGNORECASE)
_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])-[ \t]*\r?\n[ \t>]{0,8}(?=[^\W\d_A-Z])")
_BROKEN_NUMBER = re.compile(r"(?<=[\d+()-])[ \t]{0,8}\r?\n[ \t>]{0,8}(?=[(]?\d)")
_LETTER = re.compile(r"[^\W\d_]")
_LINE_CHARS = 200
"""How far back a line is searched for a letter; e-mail breaks lines at 76 to 78."""
_DIGIT_WORDS = {"zero": "0", "oh": "0", "nought": "0", "one": "1", "two": "2", "three": "3"}
_DIGIT_WORDS |= {"four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9"}
_DIGIT = "|".join(_DIGIT_WORDS)
_SPOKEN = re.compile(
    rf"\b(?:(?:double|triple)[ ])?(?:{_DIGIT})(?:[ ,-]{{1,2}}(?:(?:double|triple)[ ])?(?:{_DIGIT})"
    r"){5,19}\b",
    re.IGNORECASE,
)
_SPOKEN_WORD = re.compile(rf"(?:(double|triple)[ ])?({_DIGIT})([ ,-]*)", re.IGNORECASE)
_DIGIT_LIKE = r"(?:[\dOolI]|(?<![\s|])\|(?![\s|]))"
"""A digit, or a sign in its place. A bar next to a space divides the columns of a table."""
_LETTERS_FOR_DIGITS = re.compile(
    rf"(?<![\w+.-]){_DIGIT_LIKE}(?:[ .()-]?{_DIGIT_LIKE}){{6,18}}(?![\w|])"
)
_FOR_DIGIT = {"O": "0", "o": "0", "l": "1", "I": "1", "|": "1"}


class DisguiseRecognizer:
    """Let a recognizer also read the text without disguises.

    Text whose UTF-8 was misread is repaired first (`encoding_edits`).

    Guarantees: every span of the inner recognizer in the text after this repair is returned; the
    span of a value found without disguises covers every hidden character inside it. A text without
    disguises is read once; of any other one, the parts near a disguise are read twice
    (`changed_parts`).
    Does not guarantee: that every disguise is known; that what looks misread was: the text before
    the repair is not read.
    """

    def __init__(self, inner: Recognizer) -> None:
        self._inner = inner

    @property
    def fingerprint(self) -> str:
        """The inner recognizer's, and the version of the rules."""
        return f"evasions-{VERSION}({self._inner.fingerprint})"

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of the text, and those of its undisguised form mapped back."""
        repaired = AlignedText.unchanged(text).edited(encoding_edits(text))
        spans = self._read(repaired.text)
        return spans if repaired.text == text else [*map(repaired.original_span, spans)]

    def _read(self, text: str) -> Sequence[Span]:
        plain = self._inner.recognize(text)
        view = without_disguises(text)
        if view.text == text:
            return plain
        mapped = map(view.original_span, self._read_again(text, view))
        return list(dict.fromkeys([*plain, *mapped]))

    def _read_again(self, text: str, view: AlignedText) -> list[Span]:
        """Return the spans of the view near its changes, and other mentions of names among them."""
        found: list[Span] = []
        for part in changed_parts(text, view):
            spans = self._inner.recognize(view.text[part.start : part.end])
            moved = (
                replace(span, start=span.start + part.start, end=span.end + part.start)
                for span in spans
            )
            found += filter(part.counts, moved)
        sure = [span for span in found if span.score >= _SURE]
        known = {(span.start, span.end) for span in found}
        again = find_repetitions({"": view.text}, {"": sure}, names_only=True)[""]
        return [*found, *(span for span in again if (span.start, span.end) not in known)]


def without_disguises(text: str) -> AlignedText:
    """Return a text without the disguises in `_STAGES`.

    Guarantees: time linear in the length of the text.
    """
    view = AlignedText.unchanged(text)
    for stage in _STAGES:
        if not stage.applies(view.text):
            continue
        for _ in range(stage.rounds):
            changed = view.edited(stage.edits(view.text))
            if changed is view:
                break
            view = changed
    return view


class _Stage:
    """One kind of disguise: the edits, and a cheap test that skips most texts."""

    def __init__(
        self,
        edits: Callable[[str], Iterable[Edit]],
        applies: Callable[[str], bool] = lambda text: True,
        rounds: int = 1,
    ) -> None:
        self.edits = edits
        self.applies = applies
        self.rounds = rounds


def _holds(*signs: str) -> Callable[[str], bool]:
    return lambda text: any(sign in text for sign in signs)


def _names_a_dot(text: str) -> bool:
    lower = text.lower()
    return any(f" {name} " in lower for name in _DOT.split("|"))


def _escape_edits(text: str) -> Iterator[Edit]:
    for match in _ESCAPE.finditer(text):
        plain = _unescaped(match.group())
        if plain != match.group():
            yield match.start(), match.end(), plain


def _unescaped(escape: str) -> str:
    if escape.startswith("="):
        return "@" if escape == "=40" else ""
    if escape.startswith("\\"):
        plain = chr(int(escape[2:], 16))
    elif escape.startswith("&"):
        plain = html.unescape(escape)
    else:
        plain = unquote(escape, errors="replace")
    # No recognizer should get half a surrogate pair or broken UTF-8.
    return escape if "\ufffd" in plain or any("\ud800" <= c <= "\udfff" for c in plain) else plain


def _deletions(pattern: re.Pattern[str], text: str) -> Iterator[Edit]:
    return ((m.start(), m.end(), "") for m in pattern.finditer(text))


def _spaced_edits(text: str) -> Iterator[Edit]:
    """Join `j o h n`; keep the space of `n S`, which would join two names."""
    for match in _SPACED.finditer(text):
        run, start = match.group(), match.start()
        for i in range(1, len(run), 2):
            border = run[i - 1].islower() and run[i + 1].isupper()
            if not (border and run[i] == " "):
                yield start + i, start + i + 1, " " if border else ""


def _bracketed_edits(text: str) -> Iterator[Edit]:
    for match in _BRACKETED.finditer(text):
        sign = "@" if match["at"] or match["bare"] else "."
        yield match.start(), match.end(), sign


def _spelt_edits(text: str) -> Iterator[Edit]:
    for match in _SPELT.finditer(text):
        for word in _SPELT_SIGN.finditer(text, match.start(), match.end()):
            yield word.start(), word.end(), _SIGNS.get(word.group(1).lower(), ".")


def _address_edits(text: str) -> Iterator[Edit]:
    for match in _SPACED_ADDRESS.finditer(text):
        for gap in _WHITE.finditer(text, match.start(), match.end()):
            yield gap.start(), gap.end(), ""


def _scheme_edits(text: str) -> Iterator[Edit]:
    for match in _SCHEME.finditer(text):
        yield match.start(), match.end(), f"http{match.group(1)}:"


def _number_break_edits(text: str) -> Iterator[Edit]:
    """Join a number across lines of running text; numbers below each other are a table."""
    for match in _BROKEN_NUMBER.finditer(text):
        floor = max(0, match.start() - _LINE_CHARS)
        line = max(floor, text.rfind("\n", floor, match.start()))
        if _LETTER.search(text, line, match.start()):
            yield match.start(), match.end(), "" if text[match.start() - 1] == "-" else " "


def _spoken_edits(text: str) -> Iterator[Edit]:
    """Write digit words as digits; `double five` becomes `55`."""
    for match in _SPOKEN.finditer(text):
        for word in _SPOKEN_WORD.finditer(text, match.start(), match.end()):
            times = {"double": 2, "triple": 3}.get((word.group(1) or "").lower(), 1)
            last = word.end() >= match.end()
            end = match.end() if last else word.end()
            yield word.start(), end, _DIGIT_WORDS[word.group(2).lower()] * times


def _letter_digit_edits(text: str) -> Iterator[Edit]:
    """Replace O and l by digits in a run that is otherwise a number."""
    for match in _LETTERS_FOR_DIGITS.finditer(text):
        letters = [i for i in range(*match.span()) if text[i] in _FOR_DIGIT]
        if letters and sum(c.isdigit() for c in match.group()) >= 2 * len(letters) + 3:
            for i in letters:
                yield i, i + 1, _FOR_DIGIT[text[i]]


_STAGES = (
    _Stage(_escape_edits, _holds("&", "%", "\\", "="), _ESCAPE_ROUNDS),
    _Stage(partial(_deletions, _TAG), _holds("<")),
    _Stage(control_edits, lambda text: not text.isprintable()),
    _Stage(visible_edits, lambda text: not text.isascii()),
    _Stage(emoji_edits, lambda text: not text.isascii()),
    _Stage(look_alike_edits, lambda text: not text.isascii()),
    _Stage(_spaced_edits),
    _Stage(_scheme_edits, _holds("xx", "XX", "[:]")),
    _Stage(_bracketed_edits, _holds("(", "[", "{", "<", "（", "【")),
    _Stage(_spelt_edits, _names_a_dot),
    _Stage(_address_edits, _holds("@")),
    _Stage(partial(_deletions, _BROKEN_WORD), _holds("\n")),
    _Stage(_number_break_edits, _holds("\n")),
    _Stage(_spoken_edits),
    _Stage(_letter_digit_edits),
)
