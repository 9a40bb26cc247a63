"""Detect the languages of a text, so that no record is read by what does not know its language.

Guarantees: no network, no state between texts; the same text gives the same answer.
Does not guarantee: a language for fewer than five words, or for a list of names, codes or drugs.

Source: Lui and Baldwin (2012), langid.py, ACL system demonstrations; its model is that of
`py3langid`, a naive Bayes classifier of byte n-grams. Differs: names and numbers are left out, and
a language counts only by its lead over the languages that are expected.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.words import UNSPACED

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

VERSION = 2
"""Raised with every change of what is detected in the same text."""

LANGUAGES = frozenset(
    "af ar az bg bn ca cs cy da de el en es et eu fa fi fr ga gl ha he hi hr hu hy id is it ja ka "
    "kk ko lt lv mk ms mt nl no pl pt ro ru sk sl so sq sr sv sw ta te th tl tr uk ur vi zh".split()
)
"""ISO 639-1 codes of the languages that are distinguished. A text in another one gets the code of
a related one. Latin, Scots and pidgins are left out: lists of drugs and short notes resemble them.
"""

WINDOW = 20
"""Words that are judged together: about the shortest foreign paragraph that is found."""
_MIN_SIZE = 15
"""Size of the shortest text that is judged: five words, or 15 characters without spaces."""
_WORD_SIZE = 3
_FEW = 2
"""Words in lower case that show a short text to be prose. With them, the lead is over 3 in 1 of
1,274 English sentences of five to nine words that have fewer than five in lower case."""
_LEAD = 3.0
"""The lead from which a language counts, as a difference of log posteriors over the square root of
the bytes. Measured: at most 2.6 in 30,000 English windows that are not in fact in another language,
over 3 in 0.995 of 6,284 windows of eight to twenty words in 30 other languages."""
_BARE_LEAD = 8.0
"""The lead where there is little but capitalised words, which may all be names."""

_NO_PROSE = re.compile(r"\[[A-Z_]+_\d+\]|[!-~]*[@/\\_\d][!-~]*|[!-~]+\.[!-~]+")
"""Placeholders, tokens, addresses, numbers with their units."""
_WORD = re.compile(r"[^\W\d_](?:['’-]?[^\W\d_])+")
"""Two letters or more: single ones are initials and spaced-out headings."""
_ITEM_END = re.compile(r"[,;:()\n\t|•]")
_MIN_PHRASE = 3
"""Words of the shortest stretch between commas, line ends and numbers that is prose: names, drugs
and doses come in lists."""
_UNSPACED = re.compile(f"[{UNSPACED}]")


def languages_fingerprint() -> str:
    """Return a name that changes with what is detected: the version here and the library's."""
    return f"languages/{VERSION}/{version('py3langid')}"


def uncovered_language(texts: Iterable[str], covered: Collection[str]) -> str | None:
    """Return a language of a record that is not among those covered, or `None`.

    Languages are ISO 639-1 codes; `texts` are the record's fields. A language counts where a field
    of at least five words is in it, about 20 words in a row of a longer one, or the whole record.
    """
    fields = list(texts)
    worst, found = 0.0, None
    for passage, least in _passages(fields):
        language, lead = _first_other(passage, covered)
        if lead > least and lead - least > worst:
            worst, found = lead - least, language
    return found


def language_of(text: str) -> str | None:
    """Return the language of most of a text as ISO 639-1 code, `None` where it is unclear."""
    prose = _prose(text)
    if _size(prose) < _MIN_SIZE:
        return None
    ranking = _ranking(" ".join(prose))
    lead = ranking[0][1] - ranking[1][1]
    return ranking[0][0] if lead > _LEAD else None


def _passages(fields: Sequence[str]) -> Iterator[tuple[list[str], float]]:
    """Yield the words that are judged together, with the lead from which a language counts."""
    judged = False
    for field in fields:
        prose = _prose(field)
        if _size(prose) >= _MIN_SIZE:
            judged = True
            for window in _windows(prose):
                yield window, _LEAD
    if judged:
        return
    whole = "\n".join(fields)
    prose = _prose(whole)
    bare = _LEAD if len(prose) >= _FEW else _BARE_LEAD
    for words, least in ((prose, _LEAD), (_all_words(whole), bare)):
        if _size(words) >= _MIN_SIZE:
            yield words, least
            return


def _prose(text: str) -> list[str]:
    """Return the words of a text, without items of lists and words that begin with a capital."""
    phrases = map(_WORD.findall, _ITEM_END.split(_NO_PROSE.sub("\n", text)))
    long = (words for words in phrases if _size(words) >= _MIN_PHRASE * _WORD_SIZE)
    return [word for words in long for word in words if not word[0].isupper()]


def _all_words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(_NO_PROSE.sub(" ", text))]


def _size(words: Sequence[str]) -> int:
    return sum(
        _WORD_SIZE if word.isascii() else max(_WORD_SIZE, len(_UNSPACED.findall(word)))
        for word in words
    )


def _windows(words: list[str]) -> Iterator[list[str]]:
    """Yield the words in windows that overlap by half; the last one ends with the last word."""
    last = max(0, len(words) - WINDOW)
    for start in (*range(0, last, WINDOW // 2), last):
        yield words[start : start + WINDOW]


def _first_other(words: Sequence[str], covered: Collection[str]) -> tuple[str | None, float]:
    """Return the likeliest language that is not covered, and its lead over those that are.

    `None` where all languages are covered.
    """
    ranking = _ranking(" ".join(words))
    best = max((score for language, score in ranking if language in covered), default=-math.inf)
    others = ((lang, score - best) for lang, score in ranking if lang not in covered)
    return next(others, (None, -math.inf))


def _ranking(text: str) -> list[tuple[str, float]]:
    """Return all languages, the likeliest first, each with its log posterior over √bytes.

    The root is the library's own calibration: leads grow with it for texts of any length.
    """
    size = math.sqrt(len(text.encode("utf-8", "surrogatepass")))
    return [(language, score / size) for language, score in _identifier().rank(text)]


@lru_cache(maxsize=1)
def _identifier() -> LanguageIdentifier:
    """Return the classifier; its model (0.4 s, 100 MB) is read on first use.

    Raises:
        InputError: when the model cannot be read; the library unpacks it to a temporary file.
    """
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    try:
        identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    except OSError as error:
        raise InputError(
            f"the model that detects languages cannot be unpacked: {error.strerror}",
            hint="free some space for temporary files, or set TMPDIR to another folder",
        ) from None
    identifier.set_languages(LANGUAGES)
    return identifier
