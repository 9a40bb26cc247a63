"""Scores that mean what they say."""

from __future__ import annotations

import numpy as np

from sage_rag.privacy.entities import TAGGED, EntityType
from sage_rag.privacy.recognizers.tagging.weights_file import Calibration
from sage_rag.training.platt import LabelledLogits
from sage_rag.training.recognition.calibration import COST, calibrate
from sage_rag.training.recognition.report import calibration_error

PERSON, MISC = EntityType.PERSON, EntityType.MISC


def overconfident(words: int = 20_000) -> LabelledLogits:
    """Words whose logits are three times what the outcomes bear out, and one too high."""
    draw = np.random.default_rng(0)
    true = draw.normal(-1, 2, words)
    private = draw.random(words) < 1 / (1 + np.exp(-true))
    return LabelledLogits(true * 3 + 1, private)


def off(words: LabelledLogits, calibration: Calibration) -> float:
    scores = 1 / (1 + np.exp(-(words.logits * calibration.slope + calibration.shift)))
    scored = [
        (float(score), bool(right)) for score, right in zip(scores, words.positive, strict=True)
    ]
    return calibration_error(scored).error


def test_calibration_takes_back_overconfidence() -> None:
    words = overconfident()
    found = calibrate({PERSON: words})[TAGGED.index(PERSON)]
    assert abs(found.slope - 1 / 3) < 0.03
    assert abs(found.shift + 1 / 3) < 0.1
    assert off(words, found) < 0.02 < 0.1 < off(words, Calibration(1.0, 0.0, 0.5))


def test_the_threshold_follows_from_what_a_miss_costs() -> None:
    thresholds = dict(zip(TAGGED, (c.threshold for c in calibrate({})), strict=True))
    assert thresholds[PERSON] == 1 / (1 + COST[PERSON]) < thresholds[MISC]


def test_a_type_with_few_words_keeps_its_scores() -> None:
    few = LabelledLogits(np.zeros(30), np.array([True] * 5 + [False] * 25))
    assert calibrate({PERSON: few})[TAGGED.index(PERSON)].slope == 1.0
