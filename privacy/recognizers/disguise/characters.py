"""Replace invisible characters and look-alikes by what a reader sees.

Sources: Unicode Standard Annex 15 (NFKC) and Technical Standard 39 (confusables). The tables
contain the letters that look like basic Latin ones in common typefaces.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from sage_rag.privacy.recognizers.disguise.aligned_text import Edit

LOOK_ALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеосрхуіјѕһԁԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανιρυκօսնԼ",
    "ABESIJKMHOPCTYXaeocpxyijshdqwlABEZHIKMNOPTYXoavipukounL",
)
"""Cyrillic, Greek and Armenian letters."""
_STYLED = str.maketrans("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑɡıȷⅼǀ", "ABCDEFGHIJKLMNOPRSTUVWYZagijlI")
"""Small capitals and Latin letters that look like plain ones; NFKC does not change them."""
_ALPHABETS = ((0x1F150, 26, "A"), (0x1F170, 26, "A"), (0x1F1E6, 26, "A"))
"""Negative circled, negative squared and regional indicator letters."""

_KEPT = frozenset("…™©®½¼¾⅓⅔⅛º、。，：；！？（）～《》「」【】％·")
"""Signs of ordinary typesetting that NFKC would change. They disguise nothing."""
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u034f\u180e\u17b4\u17b5")
_MARK = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
_HYPHENS = frozenset("\u2010\u2011\u2012\u2212\ufe58\ufe63\uff0d\u00ad\u2043")
_DASH_IN_NUMBER = re.compile("(?<=[0-9])[\u2013\u2014](?=[0-9])")
_EMOJI = "[\u2190-\u21ff\u2300-\u23ff\u2460-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff]"
_BETWEEN_LETTERS = re.compile(
    rf"(?<=[^\W_])(?:{_EMOJI}[\ufe0f\u200d\U0001f3fb-\U0001f3ff]*)+(?=\w)"
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]+")
_WORD = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=4096)
def seen(character: str) -> str:
    """Return what a reader sees in place of one character: itself, others, or nothing."""
    if character in _KEPT or character.isascii():
        return character
    category = unicodedata.category(character)
    if category == "Cf" or character in _BLANK or _is_selector(character):
        return ""
    if category == "Zs" or character == "\u2800":
        return " "
    if character in _HYPHENS:
        return "-"
    if category == "Nd":
        return str(unicodedata.digit(character))
    for first, size, letter in _ALPHABETS:
        if first <= ord(character) < first + size:
            return chr(ord(letter) + ord(character) - first)
    folded = unicodedata.normalize("NFKC", character).translate(_STYLED)
    return character if folded.startswith(" ") or folded == "\u2044" else folded


def visible_edits(text: str) -> Iterator[Edit]:
    """Yield the edits that remove hidden characters and replace disguised ones.

    A combining mark joins its letter where Unicode has a composed form (é); others are removed.
    """
    changing = {c for c in set(text) if not c.isascii() and (seen(c) != c or _MARK.match(c))}
    if not changing:
        return
    start, length = 0, len(text)
    while start < length:
        end = start + 1
        if text[start] not in changing and (end == length or text[end] not in changing):
            start = end
            continue
        shown = "" if _MARK.match(text[start]) else seen(text[start])
        while end < length and _MARK.match(text[end]):
            shown = _composed(shown, text[end])
            end += 1
        if shown != text[start:end]:
            yield start, end, shown
        start = end


def control_edits(text: str) -> Iterator[Edit]:
    """Yield the edits that remove control characters other than white space."""
    return ((m.start(), m.end(), "") for m in _CONTROL.finditer(text))


def emoji_edits(text: str) -> Iterator[Edit]:
    """Yield the edits that remove emoji from words and replace dashes in numbers by hyphens."""
    if text.isascii():
        return
    taken = [(m.start(), m.end(), "") for m in _BETWEEN_LETTERS.finditer(text)]
    dashes = [(m.start(), m.end(), "-") for m in _DASH_IN_NUMBER.finditer(text)]
    yield from sorted([*taken, *dashes])


def look_alike_edits(text: str) -> Iterator[Edit]:
    """Yield the edits that replace look-alike letters in otherwise Latin words.

    A word of look-alikes alone counts as Latin only where no other letter in the text is from
    their alphabet: in a Russian text `сон` is a word, not a disguise.
    """
    if text.isascii():
        return
    foreign = [w for w in _WORD.finditer(text) if any(ord(c) in LOOK_ALIKES for c in w.group())]
    if not foreign:
        return
    alphabet_is_used = any(_is_from_their_alphabets(c) for c in set(text))
    for word in foreign:
        latin = any(c.isascii() for c in word.group())
        changed = word.group().translate(LOOK_ALIKES)
        if (latin or not alphabet_is_used) and changed.isascii():
            yield word.start(), word.end(), changed


def _is_from_their_alphabets(character: str) -> bool:
    code = ord(character)
    return 0x370 <= code < 0x590 and code not in LOOK_ALIKES and character.isalpha()


def _composed(base: str, mark: str) -> str:
    if not base:
        return base
    composed = unicodedata.normalize("NFC", base[-1] + mark)
    return base[:-1] + composed if len(composed) == 1 else base


def _is_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
