"""Private values in synthetic texts: PIPP and ELP.

The search is independent of the one that blocks values in `training.controlled`, so that one defect
does not hide in both: an expression over letters and digits here, an automaton there. Dates and
sums are read by the reader that also checks a finished text there.

A name that is also an ordinary word ("Will", "Rose") counts only where it has a capital, as
`privacy.occurrences` looks for it; at the beginning of a sentence the word counts, too.

Source: Zhao and Field (2025), "Controlled Generation for Private Synthetic Text", §3.4. Differs: a
date in another notation (`May 12, 2011`) counts, as does a sum (`1000 euros`), and a name without
its title (`values_of` in `report.py`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sage_rag.common.proportions import Proportion
from sage_rag.privacy.recognizers.lexicon import default_lexicon, fold
from sage_rag.privacy.tokens import TOKEN
from sage_rag.privacy.words import UNSPACED_RANGES
from sage_rag.training.controlled.meanings import meaning_of, meanings_in
from sage_rag.training.controlled.value_trie import MIN_CHARACTERS

_INVISIBLE = ("Mn", "Me", "Cf")
_APOSTROPHES = re.compile("[\u02b9-\u02ff]")
"""Letters of Unicode that are written as an apostrophe or a mark: `OʼNeil`."""


class Leakage(BaseModel):
    """`pipp`: texts with a private value, of all texts. `elp`: values found, of all values.

    `elp_mean`: the mean over texts of the share of the values that the text's own examples have;
    the paper's ELP of in-context generation. `None` where texts have no examples.
    """

    model_config = ConfigDict(frozen=True)
    pipp: Proportion
    elp: Proportion
    elp_mean: float | None = None


class ValueSearch:
    """Distinct private values; equal ones but for case, spacing and punctuation count once.

    So do a date and a sum in different notations. A single letter or digit is left out.
    """

    def __init__(self, values: Iterable[str]) -> None:
        self._names: dict[str, str] = {}
        """The name of a value by its letters and digits."""
        any_case: set[str] = set()
        """Values that count in small letters, too."""
        for value in values:
            letters = _letters(folded(value))
            if len(letters) >= MIN_CHARACTERS:
                self._names[letters] = meaning_of(value) or letters
                if not _is_word_and_name(value):
                    any_case.add(letters)
        self._capitalised = self._names.keys() - any_case
        self._distinct = frozenset(self._names.values())

    def __len__(self) -> int:
        return len(self._distinct)

    def found_in(self, text: str) -> frozenset[str]:
        """Return the values in a text: dates and sums as they are read, others by their letters.

        The letters and digits of an encrypted value say nothing.
        """
        text = TOKEN.sub(" ", text)
        cased = _unmarked(text)
        shown = cased.casefold()
        squeezed = _letters(shown)
        possible = {letters for letters in self._names if letters in squeezed}
        found = {v for v in possible - self._capitalised if _pattern(v).search(shown)}
        found |= {v for v in possible & self._capitalised if _capitalised(v).search(cased)}
        return frozenset({self._names[v] for v in found} | (self._distinct & meanings_in(text)))


def leakage(texts: Sequence[str], values: ValueSearch) -> Leakage:
    """Return what texts leak of the values of a whole corpus; of none, nothing is measured."""
    found = [values.found_in(text) for text in texts]
    return Leakage(
        pipp=Proportion.of(sum(map(bool, found)), len(found) if len(values) else 0),
        elp=Proportion.of(len(frozenset().union(*found)), len(values)),
    )


def context_leakage(texts: Sequence[str], contexts: Sequence[ValueSearch]) -> Leakage:
    """Return what each text leaks of the values of its own examples.

    `elp` counts pairs of a text and a value; texts whose examples have no value are not in its
    denominator, nor in `elp_mean`.
    """
    found = [own.found_in(text) for text, own in zip(texts, contexts, strict=True)]
    sizes = list(map(len, contexts))
    shares = [len(f) / n for f, n in zip(found, sizes, strict=True) if n]
    return Leakage(
        pipp=Proportion.of(sum(map(bool, found)), len(found)),
        elp=Proportion.of(sum(map(len, found)), sum(sizes)),
        elp_mean=sum(shares) / len(shares) if shares else None,
    )


def folded(text: str) -> str:
    """Return a text in the form of the search: no marks, no invisible characters, one case."""
    return _unmarked(text).casefold()


def _unmarked(text: str) -> str:
    parts = _APOSTROPHES.sub("'", unicodedata.normalize("NFKD", text))
    return "".join(c for c in parts if unicodedata.category(c) not in _INVISIBLE)


def _is_word_and_name(value: str) -> bool:
    """Return whether a value is one word with a capital that is also an ordinary word."""
    word = value.strip()
    return word.isalpha() and word[0].isupper() and default_lexicon().is_word(fold(word))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


@lru_cache(maxsize=1 << 14)
def _pattern(key: str) -> re.Pattern[str]:
    """Match letters with anything but letters between them, from border to border."""
    body = r"[\W_]*".join(map(re.escape, key))
    return re.compile(_border(key[0], "(?<!{})") + body + _border(key[-1], "(?!{})"))


@lru_cache(maxsize=1 << 10)
def _capitalised(key: str) -> re.Pattern[str]:
    """Match a word with a capital, from border to border."""
    return re.compile(
        _border(key[0], "(?<!{})") + key[0].upper() + f"(?i:{key[1:]})" + _border(key[-1], "(?!{})")
    )


def _border(character: str, form: str) -> str:
    if character.isdigit():
        return form.format(r"\d")
    if any(first <= ord(character) <= last for first, last in UNSPACED_RANGES):
        return ""
    return form.format(r"[^\W\d_]")
