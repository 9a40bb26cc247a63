"""The recognizer that works after installation: patterns, a tagger that comes with it, Chinese."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from privacy.entities import EntityType
from privacy.recognizers.chain import ChainRecognizer
from privacy.recognizers.chinese import ChineseRecognizer
from privacy.recognizers.chinese_tagger import ChineseTagger
from privacy.recognizers.clinical import ClinicalRecognizer
from privacy.recognizers.evasions import EvasionRecognizer
from privacy.recognizers.patterns import PatternRecognizer
from privacy.recognizers.presidio import PresidioRecognizer
from privacy.recognizers.structured import STRUCTURED
from privacy.recognizers.tagger import TaggerRecognizer


@lru_cache(maxsize=4)
def default_recognizer(
    tagger: Path | None = None, thresholds: tuple[tuple[EntityType, float], ...] = ()
) -> EvasionRecognizer:
    """Return the default recognizer; its data are read once per process, on first use.

    `tagger`: another weights file than the one shipped; `thresholds`: from which scores it counts.

    Raises:
        InputError: when `tagger` holds no weights, or weights for another base.
    """
    return EvasionRecognizer(
        ChainRecognizer(
            (
                ClinicalRecognizer(
                    ChainRecognizer(
                        (
                            PatternRecognizer(STRUCTURED),
                            PresidioRecognizer(),
                            TaggerRecognizer(tagger, thresholds=dict(thresholds)),
                        )
                    )
                ),
                ChineseRecognizer(),
                ChineseTagger(),
            )
        )
    )
