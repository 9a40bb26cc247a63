"""Find words in scripts that no other recognizer of the default reads: Arabic, Hindi, Thai, kana.

A text with enough of such words shows its language, and is refused (`privacy.languages`). Fewer of
them show no language: a name in an English letter, a form with three words. They are hidden whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.chinese.recognizer import is_chinese
from sage_rag.privacy.spans import Span
from sage_rag.privacy.words import UNSPACED

VERSION = 1
"""Raised with every change of the spans."""

_SCORE = 0.5
_SCRIPTS = (
    "\u0531-\u115e\u1161-\u1c7f\u1c90-\u1cbf"
    "\u3041-\u30ff\u3131-\u3163\u3165-\u318e\uac00-\ud7af\ufb13-\ufefc"
)
"""From Armenian to Ol Chiki, Georgian capitals, kana, Hangul, forms of Hebrew and Arabic letters.
Not Latin, Greek, Cyrillic and Han, and not the fillers of Hangul, which are disguises."""
_HAN = "\u3400-\u9fff"
_KANA = re.compile("[\u3041-\u30fa\u30fc-\u30ff]")
_LETTER = re.compile(rf"(?=[^\W\d_])[{_SCRIPTS}]")
_NAMES = re.compile(rf"{_LETTER.pattern}.*{_LETTER.pattern}|[\u3041-\ud7af]", re.DOTALL)
"""Two letters, or a syllable: a single letter is a dash that was read in a wrong encoding."""
_RUN = re.compile(rf"[{_SCRIPTS}]+(?:[ .'’-][{_SCRIPTS}]+)*")
_JAPANESE_RUN = re.compile(rf"[{_HAN}{_SCRIPTS}]+")
_READ = re.compile(rf"(?=[^\W\d_])[^{_SCRIPTS}{_HAN}]")
_UNSPACED_LETTER = re.compile(rf"(?=[^\W\d_])[{UNSPACED}]")
_MANY = 5
"""Words from which a text shows its language; three characters without spaces are one word."""


class ScriptRecognizer:
    """Find the words of a text in scripts that are not read otherwise, each run of them as a name.

    Guarantees: time linear in the text; no word in such a script stays, unless most letters of the
    text are in such scripts and it has at least five words.
    Does not guarantee: names in such a longer text. `privacy.languages` refuses it, unless a
    recognizer was added for its language.
    """

    fingerprint: Final = f"scripts-{VERSION}"

    def recognize(self, text: str) -> Sequence[Span]:
        """Return a span for each run of such words."""
        if text.isascii() or not _LETTER.search(text):
            return []
        is_japanese = _KANA.search(text) is not None and not is_chinese(text)
        runs = _JAPANESE_RUN if is_japanese else _RUN
        found = [m for m in runs.finditer(text) if _NAMES.search(m.group())]
        if _shows_its_language([m.group() for m in found], len(_READ.findall(text))):
            return []
        return [Span(*m.span(), EntityType.PERSON, _SCORE) for m in found]


def _shows_its_language(runs: Sequence[str], read: int) -> bool:
    """Return whether a text is one in such scripts, and long enough to be judged by language."""
    letters = sum(len(_LETTER.findall(run)) for run in runs)
    unspaced = sum(len(_UNSPACED_LETTER.findall(run)) for run in runs)
    words = max(sum(len(run.split()) for run in runs), unspaced // 3)
    return letters >= read and words >= _MANY
