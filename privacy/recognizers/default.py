"""The default recognizer: patterns, the shipped English tagger, Chinese, and unread scripts."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.chain import ChainRecognizer
from sage_rag.privacy.recognizers.chinese.recognizer import ChineseRecognizer
from sage_rag.privacy.recognizers.chinese.tagger import ChineseTagger
from sage_rag.privacy.recognizers.disguise.recognizer import DisguiseRecognizer
from sage_rag.privacy.recognizers.forms.patterns import PatternRecognizer
from sage_rag.privacy.recognizers.forms.structured import STRUCTURED
from sage_rag.privacy.recognizers.presidio.recognizer import PresidioRecognizer
from sage_rag.privacy.recognizers.scripts import ScriptRecognizer
from sage_rag.privacy.recognizers.special_categories import SpecialCategoryRecognizer
from sage_rag.privacy.recognizers.tagging.clinical import ClinicalRecognizer
from sage_rag.privacy.recognizers.tagging.tagger import TaggerRecognizer


@lru_cache(maxsize=4)
def default_recognizer(
    tagger: Path | None = None, thresholds: tuple[tuple[EntityType, float], ...] = ()
) -> DisguiseRecognizer:
    """Return the default recognizer; its data are read once per process, on first use.

    `tagger`: a weights file that replaces the shipped one; `thresholds`: the scores from which its
    spans count.

    Raises:
        InputError: when `tagger` is not a weights file, or is for another base model.
    """
    return DisguiseRecognizer(
        ChainRecognizer(
            (
                SpecialCategoryRecognizer(
                    ClinicalRecognizer(
                        ChainRecognizer(
                            (
                                PatternRecognizer(STRUCTURED),
                                PresidioRecognizer(),
                                TaggerRecognizer(tagger, thresholds=dict(thresholds)),
                            )
                        )
                    )
                ),
                ChineseRecognizer(),
                ChineseTagger(),
                ScriptRecognizer(),
            )
        )
    )
