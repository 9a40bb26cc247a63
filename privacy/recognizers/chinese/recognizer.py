"""The rules for mainland Chinese: numbers with checksums, dates, people, places, organisations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sage_rag.privacy.recognizers.chinese.names import find_people
from sage_rag.privacy.recognizers.chinese.patterns import RESIDENT_ID, STRUCTURED_ZH
from sage_rag.privacy.recognizers.chinese.places import find_organizations, find_places
from sage_rag.privacy.spans import Span

VERSION = 2
"""Raised with every change of the spans: patterns, names, places and word lists."""

HAN = re.compile("[\u3400-\u9fff\U00020000-\U0003134f]")
"""One Chinese character."""
_KANA = re.compile("[\u3041-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d]")
_JAPANESE = 0.1
"""Share of kana among kana and Han from which a text is Japanese; Japanese prose has over half,
Chinese prose none beyond a quoted name."""


class ChineseRecognizer:
    """Find private values of Chinese text.

    Guarantees: a text without a Han character is searched for resident ids only, at the cost of
    one expression; a name found once is found everywhere in the text.
    Does not guarantee: names without a common surname or any context, short names of organisations
    and clubs, and the start of an organisation's name. Japanese text is left to others.
    """

    fingerprint: Final = f"chinese-{VERSION}"
    """The version of the rules."""

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans; those of different rules may overlap."""
        spans = list(RESIDENT_ID.find(text))
        if not is_chinese(text):
            return spans
        for pattern in STRUCTURED_ZH:
            spans.extend(pattern.find(text))
        spans += [*find_people(text), *find_places(text), *find_organizations(text)]
        return list(dict.fromkeys(spans))


def is_chinese(text: str) -> bool:
    """Return whether a text contains Han characters and is not Japanese."""
    if text.isascii() or not HAN.search(text):
        return False
    kana = len(_KANA.findall(text))
    return kana <= _JAPANESE * (kana + len(HAN.findall(text)))
