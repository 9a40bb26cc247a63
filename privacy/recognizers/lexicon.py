"""The lexicon: the kinds of each word, from a data file in this folder."""

from __future__ import annotations

import gzip
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib import resources

LEXICON_FILE = "lexicon.txt.gz"


class Kind(StrEnum):
    """One kind of word; a word can be of several."""

    GIVEN = "G"
    SURNAME = "S"
    PLACE = "P"
    GREAT_PLACE = "C"
    """A country, a state or a great city: a place in any context."""
    DRUG = "D"
    WORD = "W"
    """Occurs in lower case in ordinary or medical English."""


_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae"})
_MORE = str.maketrans({"œ": "oe", "ı": "i", "’": "'"})


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """Return a word in lower case without accents, as the lexicon spells it."""
    if word.isascii():
        return word.lower()
    lowered = word.lower().translate(_LETTERS).translate(_MORE)
    decomposed = unicodedata.normalize("NFKD", lowered)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Kinds by folded word."""

    kinds: dict[str, str]

    def kinds_of(self, word: str) -> str:
        """Return the letters of a folded word's kinds; empty for an unknown word."""
        return self.kinds.get(word, "")

    def is_word(self, word: str) -> bool:
        """Return whether a folded word or its stem is an ordinary word."""
        kinds = self.kinds.get(word, "")
        if Kind.WORD in kinds or Kind.DRUG in kinds:
            return True
        return not kinds and any(Kind.WORD in self.kinds.get(s, "") for s in stems(word))


_INFLECTIONS = (
    ("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"),
    ("ly", ""), ("'s", ""), ("er", ""), ("ness", ""),
)  # fmt: skip


def stems(word: str) -> list[str]:
    """Return the words that a folded English word could be inflected from."""
    return [
        word[: -len(ending)] + stem
        for ending, stem in _INFLECTIONS
        if word.endswith(ending) and len(word) - len(ending) > 2
    ]


def parse_lexicon(packed: bytes) -> Lexicon:
    """Read a lexicon from its compressed file, without places of several words."""
    lines = gzip.decompress(packed).decode().splitlines()
    pairs = (line.split("\t") for line in lines)
    return Lexicon({word: letters for word, letters in pairs if " " not in word})


@lru_cache(maxsize=1)
def default_lexicon() -> Lexicon:
    """Return the lexicon that ships with the package; read on first use."""
    return parse_lexicon(
        resources.files("sage_rag.privacy.recognizers").joinpath(LEXICON_FILE).read_bytes()
    )
