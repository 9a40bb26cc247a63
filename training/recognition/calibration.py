"""Make scores mean what they say, and set from which score a find counts.

Platt scaling per type: two numbers turn a head's logit into the share of such words that are
private. From there the threshold is no matter of taste but of cost: where a missed value costs
`k` times what a false alarm costs, flagging pays from a probability of `1 / (1 + k)`.

Source: Platt 1999, with his smoothed targets.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from sage_rag.privacy.entities import TAGGED, EntityType
from sage_rag.privacy.recognizers.tagging.decode import private_logit
from sage_rag.privacy.recognizers.tagging.pieces import Pieces
from sage_rag.privacy.recognizers.tagging.weights_file import Calibration
from sage_rag.training.recognition.examples import Example
from sage_rag.training.recognition.fit import UNKNOWN, labels_of

_ALONE = (EntityType.PERSON, EntityType.ID, EntityType.LOCATION, EntityType.ORGANIZATION)
COST = dict.fromkeys(TAGGED, 4.0) | dict.fromkeys(_ALONE, 9.0)
"""What a missed word costs in false alarms: more where one value can point at a person alone, as a
village or an employer can (`privacy.gate.gate` holds them to the rule of names, too)."""

_FEW = 20
"""Private words from which two numbers can be fitted."""


@dataclass(frozen=True, slots=True)
class TypeLogits:
    """One type's words: the logit that each is private (n,), and whether it is (n,)."""

    logits: NDArray[np.float64]
    private: NDArray[np.bool_]


def judged_words(
    texts: Iterable[tuple[Example, Pieces, NDArray[np.float32]]],
) -> dict[EntityType, TypeLogits]:
    """Collect the words of texts with the network's answers (pieces, types, 3), by type.

    A word's logit is its highest, as when spans are made; words of unknown label are left out.
    """
    logits: dict[EntityType, list[NDArray[np.float32]]] = {t: [] for t in TAGGED}
    private: dict[EntityType, list[NDArray[np.bool_]]] = {t: [] for t in TAGGED}
    for example, pieces, answers in texts:
        if not len(pieces):
            continue
        first = np.flatnonzero(np.diff(np.asarray(pieces.words), prepend=-1))
        best = np.maximum.reduceat(private_logit(answers), first, axis=0)
        labels = np.maximum.reduceat(labels_of(example, pieces), first, axis=0)
        for column, entity_type in enumerate(TAGGED):
            known = labels[:, column] != UNKNOWN
            logits[entity_type].append(best[known, column])
            private[entity_type].append(labels[known, column] > 0)
    return {
        t: TypeLogits(np.concatenate(logits[t]).astype(np.float64), np.concatenate(private[t]))
        for t in TAGGED
        if logits[t]
    }


def calibrate(words: dict[EntityType, TypeLogits]) -> list[Calibration]:
    """Return the calibration of each type; a type with too few private words keeps its logit."""
    return [_calibration(words.get(t), 1 / (1 + COST[t])) for t in TAGGED]


def _calibration(words: TypeLogits | None, threshold: float) -> Calibration:
    if words is None or words.private.sum() < _FEW:
        return Calibration(1.0, 0.0, threshold)
    positive, negative = words.private.sum(), (~words.private).sum()
    target = np.where(words.private, (positive + 1) / (positive + 2), 1 / (negative + 2))

    def loss(parameters: NDArray[np.float64]) -> float:
        x = parameters[0] * words.logits + parameters[1]
        return float(np.mean(np.logaddexp(0, x) - target * x))

    fitted = minimize(loss, np.array([1.0, 0.0]), method="L-BFGS-B", bounds=[(0.05, 5), (-9, 9)])
    return Calibration(float(fitted.x[0]), float(fitted.x[1]), threshold)
