"""Sentence borders in running text: one definition for chunks, gate, rules and answers."""

from __future__ import annotations

import re

_STOP = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]]*+(?=\s)|\n+")
"""A row of stops is read from its beginning alone: from each of them, time would be square."""
_FULL_WIDTH_STOP = re.compile(
    rf"{_STOP.pattern}|[。！？]+(?![。！？”’」』）])|[。！？]+[”’」』）]+"
)
_ALWAYS = frozenset(
    "dr mr mrs ms prof st mt v vs cf fig eg ie e.g i.e approx tab tabs cap inj".split()
)
"""Abbreviations that end no sentence."""
_BEFORE_NUMBER = frozenset(
    "no nos nr art arts para paras p pp vol vols ch sec ss reg refs figs dob".split()
)
"""Abbreviations where a number follows, or a token of one: `no. 12`."""
_BEFORE_NAME = frozenset(
    "rev revd hon fr capt cllr cmdr col cpl det gen gov insp lt maj messrs mlle mme pres sen sgt"
    " supt acct apt bldg ext fax flr inv mob ph ref rm ste tel".split()
)
"""Titles and labels where, in upper case, a name or a value follows: `Rev. Fell`, `Apt. B`; in
lower case they may end a sentence before all but a number: `He has no tel. Fell wrote.`"""
_BEFORE_LOWER = frozenset(
    "jan feb mar apr jun jul aug sep sept oct nov dec inc ltd corp dept jr sr appt"
    " etc yr yrs mo mos wk wks hr hrs min mins lb lbs oz max temp mg mcg ml kg"
    " al ave rd est op co bros esq ph.d".split()
)
"""Abbreviations that can also end a sentence: no letter in upper case follows them."""
_INITIALS = re.compile(r"(?:[a-z]\.)*[a-z]")
_OPENINGS = frozenset(
    "i you he she it we they the a an my your his her its our their this that these those there if"
    " when what how why is are can could should do does but and so then please no yes not in on at"
    " for after before as however also".split()
)
"""Words that begin a sentence after initials: `He saw the N.P. She agreed.`"""
_BULLET = re.compile(r"(?:[•◦▪●‣·*–—-]|\[[ xX✓]?\])\s+")
_QUOTE_SIGNS = re.compile(r"(?:>[ \t]*)+(?=[^\s>])")
"""What a mail puts before each line that it quotes."""
_WRAPPED_WORDS, _COLUMN_WORDS = 7, 4
_NEAR = 200
"""Characters before and after the end of a line: some four lines of a column."""
_SENTENCE_END = re.compile(r"(?:[^\W\d_]|\])[.!?][\"'”’)]*(?:\s|\Z)")
_AMOUNT = re.compile(r"[$€£¥] ?\d|QUANTITY_\[")
_UNFINISHED = frozenset(
    "a an the and or but of to in on at for from with by as that which who if when i we you he she"
    " it they is are was were will would can could may must my your his her our their".split()
)
"""Words that end no sentence."""
_LOWER_CASE = re.compile(r"[ \t]+[a-z]")
_LAST_WORD = re.compile(r"\S{1,12}\Z")
_NEXT_WORD = re.compile(r"\s+(?P<open>[\"'“(]?)\+?(?P<word>\[|[^\W_]+)")
_VALUE = re.compile(
    r"\d|[A-Z]{1,4}[-/]?\d|(?:[A-Z_]*(?:ID|NUMBER|RECORD|LICENSE|ACCOUNT)|QUANTITY|VEHICLE)_\["
)
"""The beginning of a number, of a code such as `GX-9031` or of a token of one."""


def sentence_spans(text: str, *, full_width: bool = True) -> list[tuple[int, int]]:
    """Return `[start, end)` of each sentence, in order, without white space at its ends.

    A sentence ends at a line break, and at `.`, `!`, `?` or `…` before white space, except where
    the stop belongs to an abbreviation or initials, or to a quotation before a lower-case letter.
    `full_width`: it also ends at `。`, `！` or
    `？`. Outside of the spans there is only white space. Linear in the text.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in (_FULL_WIDTH_STOP if full_width else _STOP).finditer(text):
        if _names_speaker(text, match) or (
            match.group()[0] == "." and _goes_on(text, start, match)
        ):
            continue
        spans.append((start, match.end()))
        start = match.end()
    return [_trimmed(text, a, b) for a, b in (*spans, (start, len(text))) if text[a:b].strip()]


def unwrapped_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of `sentence_spans`, those of a sentence that goes on after a line as one.

    Plain mails break lines at some 70 characters, columns of a book at 35. A line goes on if it has
    seven words and no stop, and the next one begins with a lower-case letter or an amount, or it
    ends with a comma or a function word. In a paragraph in which a sentence ends, four words and a
    lower-case letter will do: a list of short items has no stops.
    """
    spans: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        if spans and _is_wrapped(text, spans[-1][1], start):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _is_wrapped(text: str, end: int, following: int) -> bool:
    if text.count("\n", end, following) != 1 or text[end - 1] in ".!?…:;":
        return False
    words = text[text.rfind("\n", 0, end) + 1 : end].lstrip("> \t").split()
    signs = _QUOTE_SIGNS.match(text, following)
    following = signs.end() if signs else following
    if len(words) < _COLUMN_WORDS or is_bulleted(text[following : following + 4]):
        return False
    if len(words) < _WRAPPED_WORDS:
        return text[following].islower() and _ends_sentence_near(text, end, following)
    goes_on = words[-1][-1] == "," or words[-1].casefold() in _UNFINISHED
    return text[following].islower() or goes_on or _AMOUNT.match(text, following) is not None


def _ends_sentence_near(text: str, end: int, following: int) -> bool:
    """Return whether a sentence ends in the same paragraph, some lines before or after a break."""
    before = text[max(0, end - _NEAR) : end].rpartition("\n\n")[2]
    after = text[following : following + _NEAR].partition("\n\n")[0]
    return any(_SENTENCE_END.search(part) for part in (before, after))


def is_bulleted(sentence: str) -> bool:
    """Return whether a sentence is an item of a list: it begins with a bullet or a box."""
    return _BULLET.match(sentence) is not None


def without_bullet(sentence: str) -> str:
    """Return a sentence without the bullet that it begins with."""
    return _BULLET.sub("", sentence, count=1) if is_bulleted(sentence) else sentence


def _names_speaker(text: str, stop: re.Match[str]) -> bool:
    """Return whether a quotation ends with a stop, and its sentence goes on: `"Run!" he said.`"""
    is_quoted = stop.group()[-1] in "\"'”’"
    return is_quoted and _LOWER_CASE.match(text, stop.end()) is not None


def _goes_on(text: str, start: int, stop: re.Match[str]) -> bool:
    """Return whether a sentence goes on after a full stop."""
    following = _NEXT_WORD.match(text, stop.end())
    if following is None or len(stop.group()) > 1:
        return False
    word, opens = following["word"], following["open"]
    if word == "old" or (opens == "(" and word.islower()):
        return True
    last = _LAST_WORD.search(text, max(start, stop.start() - 12), stop.start())
    if last is None:
        return False
    written = last.group().lstrip("([\"'“")
    short = written.casefold()
    if short in _ALWAYS:
        return True
    if short in _BEFORE_NAME and written[0].isupper():
        return word.casefold() not in _OPENINGS
    if short in _BEFORE_NAME or short in _BEFORE_NUMBER:
        return word == "[" or _VALUE.match(text, following.start("word")) is not None
    if short in _BEFORE_LOWER:
        return not word[0].isupper() and word != "["
    if _INITIALS.fullmatch(short):
        dotted = "." in short and word.islower()
        return dotted or word.casefold() not in _OPENINGS
    return False


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return end - len(part.lstrip()), start + len(part.rstrip())
