"""Calibrate scores to probabilities, and derive thresholds from costs.

Platt scaling (`training.platt`) per type: a slope and a shift turn a logit into the share of such
words that are private. If a missed value costs `k` times as much as a false alarm, the threshold is
the probability `1 / (1 + k)`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sage_rag.privacy.entities import TAGGED, EntityType
from sage_rag.privacy.recognizers.tagging.decode import private_logit
from sage_rag.privacy.recognizers.tagging.pieces import Pieces
from sage_rag.privacy.recognizers.tagging.weights_file import Calibration
from sage_rag.training.platt import LabelledLogits, platt
from sage_rag.training.recognition.examples import Example
from sage_rag.training.recognition.fit import UNKNOWN, labels_of

_DESCRIBING = (EntityType.DEMOGRAPHIC, EntityType.QUANTITY, EntityType.MISC)
COST = dict.fromkeys(TAGGED, 9.0) | dict.fromkeys(_DESCRIBING, 4.0) | {EntityType.PERSON: 19.0}
"""The cost of a missed word in false alarms: lower for types of which one value seldom identifies a
person, highest for names. Chosen with held-out figures in view (`docs/results/tagger.md`)."""

_MIN_PRIVATE = 20
"""The private words of a type that a calibration needs."""


def word_logits(
    texts: Iterable[tuple[Example, Pieces, NDArray[np.float32]]],
) -> dict[EntityType, LabelledLogits]:
    """Collect the logits of all words by type, from the network's output (pieces, types, 3).

    A word's logit is the highest of its pieces, as in decoding; words of unknown label are skipped.
    """
    logits: dict[EntityType, list[NDArray[np.float32]]] = {t: [] for t in TAGGED}
    private: dict[EntityType, list[NDArray[np.bool_]]] = {t: [] for t in TAGGED}
    for example, pieces, output in texts:
        if not len(pieces):
            continue
        first = np.flatnonzero(np.diff(np.asarray(pieces.words), prepend=-1))
        best = np.maximum.reduceat(private_logit(output), first, axis=0)
        labels = np.maximum.reduceat(labels_of(example, pieces), first, axis=0)
        for column, entity_type in enumerate(TAGGED):
            known = labels[:, column] != UNKNOWN
            logits[entity_type].append(best[known, column])
            private[entity_type].append(labels[known, column] > 0)
    return {
        t: LabelledLogits(np.concatenate(logits[t]).astype(np.float64), np.concatenate(private[t]))
        for t in TAGGED
        if logits[t]
    }


def calibrate(words: dict[EntityType, LabelledLogits]) -> list[Calibration]:
    """Return the calibration of each type; a type with too few private words keeps its logit."""
    return [_calibration(words.get(t), threshold_of(COST[t])) for t in TAGGED]


def _calibration(words: LabelledLogits | None, threshold: float) -> Calibration:
    if words is None or words.positive.sum() < _MIN_PRIVATE:
        return Calibration(1.0, 0.0, threshold)
    slope, shift = platt(words, method="L-BFGS-B", bounds=[(0.05, 5), (-9, 9)])
    return Calibration(slope, shift, threshold)


def threshold_of(cost_of_miss: float) -> float:
    """Return the lowest probability at which a flag costs less than a miss."""
    return 1 / (1 + cost_of_miss)
