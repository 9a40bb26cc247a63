"""The recognizer that works after installation: patterns and gazetteer, no model."""

from __future__ import annotations

from functools import lru_cache

from privacy.recognizers.chain import ChainRecognizer
from privacy.recognizers.gazetteer import GazetteerRecognizer
from privacy.recognizers.patterns import PatternRecognizer
from privacy.recognizers.structured import STRUCTURED


@lru_cache(maxsize=1)
def default_recognizer() -> ChainRecognizer:
    """Return the default recognizer; its data are read once per process, on first use."""
    return ChainRecognizer((PatternRecognizer(STRUCTURED), GazetteerRecognizer()))
