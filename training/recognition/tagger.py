"""Train the tagger that ships, or train it further on an owner's annotations."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.recognizers.tagging.network import TaggerNetwork
from sage_rag.privacy.recognizers.tagging.tagger import TaggerRecognizer, shipped_weights
from sage_rag.privacy.recognizers.tagging.weights_file import Calibration, read_weights
from sage_rag.training.recognition.adapters import load_changes, new_network, write_weights
from sage_rag.training.recognition.calibration import calibrate, word_logits
from sage_rag.training.recognition.datasets import examples, load, rejoined
from sage_rag.training.recognition.documents import Split
from sage_rag.training.recognition.examples import Example
from sage_rag.training.recognition.fit import Schedule, fit
from sage_rag.training.recognition.generated import generate
from sage_rag.training.recognition.optimization import Progress
from sage_rag.training.recognition.report import Report, gold_of, measure
from sage_rag.training.recognition.sets import ENGLISH
from sage_rag.training.recognition.variants import variants

FROM_SCRATCH = Schedule(epochs=2)
FURTHER = Schedule(epochs=3, rate=3e-4)
_CALIBRATED_ON = 1500
"""Generated texts that the types which no public set marks are calibrated with."""
_REPLAYED = 3000
"""Generated texts among an owner's own, so that the tagger does not forget the others."""
_FEW_DOCUMENTS = 5


@dataclass(frozen=True, slots=True)
class TrainingOutcome:
    """What a training run used, by set, and what the weights reach on texts it did not see."""

    used: Mapping[str, int]
    generated: int
    held_out: Mapping[str, Report]


def train_tagger(
    data: Path, weights: Path, *, generated: int, seed: int, progress: Progress
) -> TrainingOutcome:
    """Train from MiniLM on the public sets in `data` and on generated texts; write `weights`.

    Raises:
        InputError: for a set that is missing or damaged.
    """
    learnt = examples(data, Split.TRAIN)
    torch.manual_seed(seed)
    network = new_network()
    made = list(generate(generated + _CALIBRATED_ON, seed=seed))
    texts = [*learnt, *variants(learnt, seed=seed), *made[:generated]]
    fit(network, texts, FROM_SCRATCH, seed=seed, progress=progress)
    judged = [*examples(data, Split.CALIBRATION), *made[generated:]]
    _write(network, judged, weights, {"seed": seed, "generated": generated})
    used = Counter(example.source for example in learnt)
    return TrainingOutcome(used, generated, measured(TaggerRecognizer(weights), data))


def measured(recognizer: TaggerRecognizer, data: Path) -> dict[str, Report]:
    """Measure on the held-out texts of every English set, sentences also in their documents."""
    reports = {}
    for name in ENGLISH:
        texts = [text for text in load(name, data) if text.split is Split.HELD_OUT]
        for what, some in ((name, texts), (f"{name}, documents", rejoined(name, texts))):
            if some:
                reports[what] = measure(recognizer, [text.gold for text in some])
    return reports


def adapt_tagger(
    annotations: Sequence[Example], weights: Path, *, seed: int, progress: Progress
) -> tuple[Report, Report]:
    """Train the shipped tagger further on an owner's annotations; return before and after.

    A fifth of the documents is held out and measured; the rest is learnt from, with generated
    texts among it. Scores keep the shipped calibration: a few documents could not set it.

    Raises:
        InputError: for annotations of fewer than five documents.
    """
    learnt, held_out = _split(annotations, seed)
    golds = [gold_of(example) for example in held_out]
    before = measure(TaggerRecognizer(), golds)
    torch.manual_seed(seed)
    network = new_network()
    load_changes(network, shipped_weights())
    replayed = generate(_REPLAYED, seed=seed)
    fit(network, [*learnt, *replayed], FURTHER, seed=seed, progress=progress)
    shipped = read_weights(shipped_weights())
    about = {"seed": seed, "adapted_from": shipped.digest, "texts": len(learnt)}
    write_weights(network, shipped.calibration, weights, about)
    return before, measure(TaggerRecognizer(weights), golds)


def _split(annotations: Sequence[Example], seed: int) -> tuple[list[Example], list[Example]]:
    """Return what is learnt from and what is held out: at random, but by document."""
    documents = sorted({example.document for example in annotations})
    if len(documents) < _FEW_DOCUMENTS:
        raise InputError(
            f"annotations of {len(documents)} documents: one in five is held out to measure with",
            hint=f"annotate at least {_FEW_DOCUMENTS}, and a few hundred for a lasting effect",
        )
    random.Random(seed).shuffle(documents)  # noqa: S311 - no secret
    measured_on = set(documents[: len(documents) // 5])
    learnt = [e for e in annotations if e.document not in measured_on]
    return learnt, [e for e in annotations if e.document in measured_on]


def _write(
    network: TaggerNetwork, judged: Sequence[Example], weights: Path, about: Mapping[str, object]
) -> None:
    """Write weights twice: with answers as they are, and calibrated by what those answers are."""
    uncalibrated = [Calibration(1.0, 0.0, 0.5)] * network.types
    write_weights(network, uncalibrated, weights, about)
    answers = TaggerRecognizer(weights).answers([example.text for example in judged])
    words = word_logits(
        (example, pieces, logits) for example, (pieces, logits) in zip(judged, answers, strict=True)
    )
    write_weights(network, calibrate(words), weights, about)
