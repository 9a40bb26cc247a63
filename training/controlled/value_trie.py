"""Find private values in a text whatever their case, spacing and punctuation.

A value is compared by its letters and digits alone: `$1,000`, `1 000` and `1000` are equal, as are
`Mr. A.` and `MR A`, `O'Neil` and `ONEIL`, `Anna` and `An-na`. A match begins and ends at the border
of a word or of a number, so that `Ann` is not found in `annual`. A capital after a small letter is
such a border, too: words that lack the space between them (`inGdańskPoland`) hide nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from enum import IntEnum
from functools import lru_cache

from sage_rag.privacy.recognizers.disguise.characters import LOOK_ALIKES, seen
from sage_rag.privacy.words import UNSPACED_RANGES

MIN_CHARACTERS = 2
"""A single letter or digit identifies no one and occurs in every text; it is not blocked."""
SEPARATOR = " "
_STROKED = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe", "ı": "i"}
)
"""Letters that no normal form takes apart."""
_ALIKE = {
    ord(chr(foreign).casefold()): chr(latin).casefold()
    for foreign, latin in reversed(LOOK_ALIKES.items())
}
"""Look-alikes without case; a capital decides (`Ν` is an N, though `ν` looks like a v)."""
_APOSTROPHES = re.compile("[\u02b9-\u02ff]")
"""Letters of Unicode that are written as an apostrophe or a mark: `OʼNeil`."""
_ROOT = 0


class Kind(IntEnum):
    """The kind of a character. A border lies between two kinds, and around the last two."""

    LETTER = 0
    DIGIT = 1
    UNSPACED = 2
    """A character of a script without spaces."""
    SEPARATOR = 3
    CAPITAL = 4
    """A capital letter."""


@lru_cache(maxsize=1 << 16)
def folded(character: str) -> str:
    """Return the symbols of one character: letters and digits, a separator, or nothing.

    A capital keeps its case, for the borders of words. Marks and invisible characters give nothing:
    they do not part a word.
    """
    if unicodedata.category(character)[0] == "M":
        return ""
    visible = unicodedata.normalize("NFKD", seen(character))
    shown = visible.casefold()
    shown = _APOSTROPHES.sub("'", shown).translate(_STROKED).translate(_ALIKE)
    kept = "".join(c for c in shown if c.isalnum())
    if visible.isupper():
        kept = "".join(c.upper() if c.upper().lower() == c else c for c in kept)
    return kept or (SEPARATOR if shown and not all(map(unicodedata.combining, shown)) else "")


def symbols_of(text: str) -> str:
    """Return the symbols of a text; several separators in a row count as one."""
    return re.sub(" +", SEPARATOR, "".join(map(folded, text)))


def squeezed(text: str) -> str:
    """Return the letters and digits of a text, in small letters."""
    return symbols_of(text).replace(SEPARATOR, "").lower()


@lru_cache(maxsize=1 << 16)
def kind_of(symbol: str) -> Kind:
    """Return the kind of a symbol."""
    if symbol == SEPARATOR:
        return Kind.SEPARATOR
    if symbol.isdigit():
        return Kind.DIGIT
    code = ord(symbol)
    if any(first <= code <= last for first, last in UNSPACED_RANGES):
        return Kind.UNSPACED
    return Kind.CAPITAL if symbol.isupper() else Kind.LETTER


def border(before: Kind, after: Kind) -> bool:
    """Return whether a word or a number can begin or end between two symbols."""
    if (before, after) == (Kind.CAPITAL, Kind.LETTER):
        return False
    return before != after or before in (Kind.UNSPACED, Kind.SEPARATOR)


class ValueTrie:
    """Values by their letters and digits. Node 0 is the root."""

    def __init__(self, values: Iterable[str]) -> None:
        self.children: list[dict[str, int]] = [{}]
        self.terminal: list[bool] = [False]
        self.size = 0
        """How many different values it holds; values under `MIN_CHARACTERS` are left out."""
        for value in values:
            self._add(squeezed(value))

    def _add(self, letters: str) -> None:
        if len(letters) < MIN_CHARACTERS:
            return
        node = _ROOT
        for letter in letters:
            if letter not in self.children[node]:
                self.children[node][letter] = len(self.children)
                self.children.append({})
                self.terminal.append(False)
            node = self.children[node][letter]
        self.size += not self.terminal[node]
        self.terminal[node] = True

    def step(
        self, active: frozenset[int], before: Kind, symbol: str, *, begins: bool = True
    ) -> tuple[frozenset[int], bool]:
        """Read one symbol after one of kind `before`; `active`: the nodes of unfinished matches.

        Returns the new nodes, and whether a match ended before the symbol. With `begins`, a match
        can begin at it.
        """
        after = kind_of(symbol)
        at_border = border(before, after)
        ended = at_border and self.ends(active)
        if after is Kind.SEPARATOR:
            return active, ended
        letter = symbol.lower()
        found = {node for n in active if (node := self.children[n].get(letter)) is not None}
        if begins and at_border and (first := self.children[_ROOT].get(letter)) is not None:
            found.add(first)
        return frozenset(found), ended

    def ends(self, active: Iterable[int]) -> bool:
        """Return whether a match ends here, if the text or the word ends here."""
        return any(self.terminal[node] for node in active)

    def found_in(self, text: str) -> bool:
        """Return whether a text contains one of the values."""
        active: frozenset[int] = frozenset()
        before = Kind.SEPARATOR
        for symbol in symbols_of(text):
            active, ended = self.step(active, before, symbol)
            if ended:
                return True
            before = kind_of(symbol)
        return self.ends(active)
