"""Train the Chinese tagger from random weights, on generated text alone.

Shapes: R rows (texts), C characters, T types, 3 classes.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch.nn import functional

from sage_rag.common.batches import batches_of
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.chinese.network import (
    PAD,
    UNKNOWN,
    ChineseModel,
    ChineseNetwork,
    packed,
    unpacked,
)
from sage_rag.privacy.recognizers.chinese.word_features import (
    FEATURES,
    Words,
    features_of,
    load_words,
)
from sage_rag.privacy.recognizers.tagging.decode import private_logit
from sage_rag.privacy.recognizers.tagging.weights_file import Calibration
from sage_rag.training.optimization import Progress, optimize
from sage_rag.training.platt import LabelledLogits, platt
from sage_rag.training.recognition.calibration import threshold_of
from sage_rag.training.recognition.chinese.gazetteer import write_words
from sage_rag.training.recognition.chinese.generate import ANNOTATED, generate, generator_digest
from sage_rag.training.recognition.examples import Example

TYPES = tuple(t for t in EntityType if t in ANNOTATED)
COSTS = {EntityType.PERSON: 9.0, EntityType.LOCATION: 14.0, EntityType.ORGANIZATION: 9.0}
"""The cost of a missed character in false alarms.

Places vary most, and generated text covers the smallest part of them."""
_COLUMNS = {entity_type: column for column, entity_type in enumerate(TYPES)}
_IGNORED = -100
_MIN_COUNT = 3
"""Characters seen less often than this share one id with characters that training never saw."""
_AVERAGED_FROM = 0.7
"""Share of the steps after which the weights are averaged, because the mean generalises better.

Source: Izmailov et al. (2018), arXiv 1803.05407.
"""
_HIDDEN = 0.08
"""Share of characters hidden in training, so that an unknown one is read by its context."""


@dataclass(frozen=True, slots=True)
class ChineseSchedule:
    """Length and learning rate of a training; `rate` is the highest, after a tenth of the steps."""

    texts: int = 100_000
    held_out: int = 4_000
    rows: int = 64
    rate: float = 3e-3


def fit_chinese(
    out: Path,
    *,
    seed: int,
    words: Path,
    schedule: ChineseSchedule = ChineseSchedule(),
    command: str = "",
    progress: Progress = lambda step, steps, loss: None,
) -> dict[str, float]:
    """Write weights to `out` and word lists to `words`; return held-out recall by type.

    Guarantees: on one machine with one set of versions, the same seed and schedule give the same
    weights; only generated text is read. Scores are calibrated on generated text that did not
    train.
    """
    torch.manual_seed(seed)
    write_words(words)
    known = load_words.__wrapped__(words)
    texts = list(generate(schedule.texts, seed=seed))
    held_out = list(generate(schedule.held_out, seed=seed + 1))
    characters = _characters(texts)
    network = ChineseNetwork(len(characters), len(TYPES))
    _train(network, texts, characters, known, schedule, seed, progress)
    network.load_state_dict(unpacked(packed(network)))  # calibrate the weights as stored
    outcomes = list(_outcomes(ChineseModel(network, characters, known), held_out))
    calibration = [_calibration(o, COSTS[t]) for t, o in zip(TYPES, outcomes, strict=True)]
    settings = {
        "characters": characters,
        "types": [t.value for t in TYPES],
        "calibration": [[c.slope, c.shift, c.threshold] for c in calibration],
        "generator": generator_digest(),
        "schedule": asdict(schedule),
        "seed": seed,
        "command": command,
    }
    save_file(packed(network), out, {"chinese_tagger": json.dumps(settings, ensure_ascii=False)})
    return {t.value: _recall(o, c) for t, o, c in zip(TYPES, outcomes, calibration, strict=True)}


def _characters(texts: Sequence[Example]) -> str:
    counts = Counter(character for example in texts for character in example.text)
    return "".join(sorted(c for c, count in counts.items() if count >= _MIN_COUNT))


def _train(
    network: ChineseNetwork,
    texts: Sequence[Example],
    characters: str,
    words: Words,
    schedule: ChineseSchedule,
    seed: int,
    progress: Progress,
) -> None:
    batches = _shuffled_batches(texts, schedule.rows, seed)
    optimizer = torch.optim.AdamW(network.parameters(), lr=schedule.rate, weight_decay=0.01)
    rates = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, schedule.rate, total_steps=len(batches), pct_start=0.1
    )
    encode = _Encoder(characters, words, seed)
    averaged = torch.optim.swa_utils.AveragedModel(network)
    weight = torch.tensor([1.0, 2.0, 2.0])

    def loss_of(batch: Sequence[Example]) -> torch.Tensor:
        ids, features, labels = encode(batch)
        logits = network(ids, features)
        return functional.cross_entropy(
            logits.flatten(0, 2), labels.flatten(), weight, ignore_index=_IGNORED
        )

    def average(step: int) -> None:
        if step > _AVERAGED_FROM * len(batches):
            averaged.update_parameters(network)

    network.train()
    optimize(list(network.parameters()), batches, loss_of, rates, progress, after_step=average)
    network.load_state_dict(averaged.module.state_dict())


def _shuffled_batches(texts: Sequence[Example], rows: int, seed: int) -> list[Sequence[Example]]:
    """Return batches of texts of similar length, shuffled."""
    order = random.Random(seed)  # noqa: S311 - not a secret
    alike = sorted(texts, key=lambda e: len(e.text) + order.random() * 10)
    batches = list(batches_of(alike, rows))
    order.shuffle(batches)
    return batches


class _Encoder:
    """Convert examples to tensors, with words and characters left out at random."""

    def __init__(self, characters: str, words: Words, seed: int) -> None:
        self._ids = {character: i for i, character in enumerate(characters, 2)}
        self._words = words
        self._chance = random.Random(seed)  # noqa: S311 - not a secret

    def __call__(self, batch: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return ids (R, C), features (R, C, FEATURES) and labels (R, C, T)."""
        longest = max(len(example.text) for example in batch)
        ids = torch.full((len(batch), longest), PAD)
        features = torch.zeros((len(batch), longest, FEATURES))
        labels = torch.full((len(batch), longest, len(TYPES)), _IGNORED)
        for row, example in enumerate(batch):
            end = len(example.text)
            ids[row, :end] = torch.tensor([self._id(c) for c in example.text])
            seen = features_of(example.text, self._words, self._keep())
            features[row, :end] = torch.from_numpy(seen)
            labels[row, :end] = torch.from_numpy(labels_of(example))
        return ids, features, labels

    def _id(self, character: str) -> int:
        return UNKNOWN if self._chance.random() < _HIDDEN else self._ids.get(character, UNKNOWN)

    def _keep(self) -> Callable[[], bool]:
        """Return a random filter of one text's known words; its share differs between texts."""
        share = self._chance.choice((1.0, 1.0, 0.7, 0.3))
        return lambda: self._chance.random() < share


def labels_of(example: Example) -> NDArray[np.int64]:
    """Return the class of each character and type: outside, begin, inside."""
    labels = np.zeros((len(example.text), len(TYPES)), dtype=np.int64)
    for span in example.spans:
        column = _COLUMNS[span.entity_type]
        labels[span.start : span.end, column] = 2
        labels[span.start, column] = 1
    return labels


def _outcomes(model: ChineseModel, examples: Sequence[Example]) -> Iterator[LabelledLogits]:
    """Yield the logits of all characters and whether each is private, by type."""
    outputs = [private_logit(model.ask([example.text])[0]) for example in examples]
    logits = np.concatenate(outputs).astype(np.float64)
    private = np.concatenate([labels_of(example) for example in examples]) > 0
    for column in range(len(TYPES)):
        yield LabelledLogits(logits[:, column], private[:, column])


def _calibration(outcomes: LabelledLogits, cost_of_miss: float) -> Calibration:
    slope, shift = platt(outcomes, method="Nelder-Mead")
    return Calibration(slope, shift, threshold_of(cost_of_miss))


def _recall(outcomes: LabelledLogits, calibration: Calibration) -> float:
    scores = 1 / (1 + np.exp(-(calibration.slope * outcomes.logits + calibration.shift)))
    return float((scores[outcomes.positive] >= calibration.threshold).mean())
