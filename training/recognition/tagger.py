"""Train the shipped tagger, or train it further on an owner's annotations."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from sage_rag.common.exceptions import InputError
from sage_rag.common.minilm.network import Encoder
from sage_rag.privacy.entities import TAGGED
from sage_rag.privacy.recognizers.tagging.tagger import TaggerRecognizer, shipped_weights
from sage_rag.privacy.recognizers.tagging.weights_file import Calibration, read_weights
from sage_rag.training.adapters import average_with, load_changes
from sage_rag.training.optimization import Progress
from sage_rag.training.recognition.calibration import calibrate, word_logits
from sage_rag.training.recognition.datasets import examples, joined_documents, load
from sage_rag.training.recognition.documents import Split
from sage_rag.training.recognition.examples import Example
from sage_rag.training.recognition.fit import Schedule, fit
from sage_rag.training.recognition.generated import generate
from sage_rag.training.recognition.network import untrained_network, write_weights
from sage_rag.training.recognition.report import Report, gold_of, measure
from sage_rag.training.recognition.sets import ENGLISH
from sage_rag.training.recognition.variants import variants

FULL_TRAINING = Schedule(epochs=2)
ADAPTATION = Schedule(epochs=3, rate=3e-4)
_CALIBRATION_TEXTS = 1500
"""Generated texts for calibration: no public set marks every type."""
_REPLAYED_PER_TEXT, _REPLAYED_TEXTS = 12, 3000
"""Generated texts for each of an owner's texts, and at most, so that the tagger forgets nothing.
After 32 texts with 400 generated ones it finds 3,923 of 3,942 generated values, before 3,930."""
_MIN_DOCUMENTS = 5


@dataclass(frozen=True, slots=True)
class TrainingOutcome:
    """The number of training texts by set, and the figures of the weights on held-out texts."""

    used: Mapping[str, int]
    generated: int
    held_out: Mapping[str, Report]


def train_tagger(
    data: Path,
    weights: Path,
    *,
    generated: int,
    seed: int,
    progress: Progress,
    earlier: Path | None = None,
) -> TrainingOutcome:
    """Train from MiniLM on the public sets in `data` and on generated texts; write `weights`.

    `earlier`: a weights file of an earlier training with the same seed; the result is the mean of
    both.

    Raises:
        InputError: for a set or an earlier file that is missing or damaged.
    """
    if earlier is not None:
        read_weights(earlier)  # a wrong file fails before the training
    training = examples(data, Split.TRAIN)
    torch.manual_seed(seed)
    network = untrained_network()
    written = list(generate(generated + _CALIBRATION_TEXTS, seed=seed))
    texts = [*training, *variants(training, seed=seed), *written[:generated]]
    fit(network, texts, FULL_TRAINING, seed=seed, progress=progress)
    if earlier is not None:
        average_with(network, earlier)
    calibrating = [*examples(data, Split.CALIBRATION), *written[generated:]]
    _write(network, calibrating, weights, {"seed": seed, "generated": generated})
    used = Counter(example.source for example in training)
    return TrainingOutcome(used, generated, measured(TaggerRecognizer(weights), data))


def measured(recognizer: TaggerRecognizer, data: Path) -> dict[str, Report]:
    """Measure on the held-out texts of every English set, and on whole documents of sentences."""
    reports = {}
    for name in ENGLISH:
        texts = [text for text in load(name, data) if text.split is Split.HELD_OUT]
        for what, some in ((name, texts), (f"{name}, documents", joined_documents(name, texts))):
            if some:
                reports[what] = measure(recognizer, [text.gold for text in some])
    return reports


def adapt_tagger(
    annotations: Sequence[Example], weights: Path, *, seed: int, progress: Progress
) -> tuple[Report, Report]:
    """Train the shipped tagger further on an owner's annotations; return before and after.

    One document in five is held out and measured; the others train, together with generated
    texts. The shipped calibration stays, because a few documents are too little for a new one.

    Raises:
        InputError: for annotations of fewer than five documents.
    """
    training, held_out = training_and_held_out(annotations, seed)
    golds = [gold_of(example) for example in held_out]
    before = measure(TaggerRecognizer(), golds)
    torch.manual_seed(seed)
    network = untrained_network()
    load_changes(network, shipped_weights())
    count = min(_REPLAYED_PER_TEXT * len(training), _REPLAYED_TEXTS)
    replayed = generate(count, seed=seed)
    fit(network, [*training, *replayed], ADAPTATION, seed=seed, progress=progress)
    shipped = read_weights(shipped_weights())
    about = {"seed": seed, "adapted_from": shipped.digest, "texts": len(training)}
    write_weights(network, shipped.settings.calibration, weights, about)
    return before, measure(TaggerRecognizer(weights), golds)


def training_and_held_out(
    annotations: Sequence[Example], seed: int
) -> tuple[list[Example], list[Example]]:
    """Split annotations at random, by document; a held-out text trains in no other document.

    Raises:
        InputError: for annotations of fewer than five documents.
    """
    documents = sorted({example.document for example in annotations})
    if len(documents) < _MIN_DOCUMENTS:
        raise InputError(
            f"there are annotations of {len(documents)} documents; one in five is held out",
            hint=f"annotate at least {_MIN_DOCUMENTS}, and a few hundred for a lasting effect",
        )
    random.Random(seed).shuffle(documents)  # noqa: S311 - not a secret
    measured_on = set(documents[: len(documents) // 5])
    held_out = [e for e in annotations if e.document in measured_on]
    known = {e.text.casefold() for e in held_out}
    return [e for e in annotations if e.text.casefold() not in known], held_out


def _write(
    network: Encoder,
    calibrating: Sequence[Example],
    weights: Path,
    about: Mapping[str, object],
) -> None:
    """Write weights without a calibration, fit one to their output, and write them again."""
    uncalibrated = [Calibration(1.0, 0.0, 0.5)] * len(TAGGED)
    write_weights(network, uncalibrated, weights, about)
    answers = TaggerRecognizer(weights).answers([example.text for example in calibrating])
    words = word_logits(
        (example, pieces, logits)
        for example, (pieces, logits) in zip(calibrating, answers, strict=True)
    )
    write_weights(network, calibrate(words), weights, about)
