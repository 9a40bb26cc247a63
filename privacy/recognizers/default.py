"""The recognizer that works after installation: patterns, gazetteer and Chinese, no model."""

from __future__ import annotations

from functools import lru_cache

from privacy.recognizers.chain import ChainRecognizer
from privacy.recognizers.chinese import ChineseRecognizer
from privacy.recognizers.evasions import EvasionRecognizer
from privacy.recognizers.gazetteer import GazetteerRecognizer
from privacy.recognizers.patterns import PatternRecognizer
from privacy.recognizers.presidio import PresidioRecognizer
from privacy.recognizers.structured import STRUCTURED


@lru_cache(maxsize=1)
def default_recognizer() -> EvasionRecognizer:
    """Return the default recognizer; its data are read once per process, on first use."""
    return EvasionRecognizer(
        ChainRecognizer(
            (
                PatternRecognizer(STRUCTURED),
                PresidioRecognizer(),
                GazetteerRecognizer(),
                ChineseRecognizer(),
            )
        )
    )
