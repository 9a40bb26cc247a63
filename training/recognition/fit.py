"""Fit the tagger of text in Latin letters to annotated texts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from sage_rag.common.minilm.base import base_tokenizer
from sage_rag.common.minilm.model import Row, padded
from sage_rag.common.minilm.network import Encoder
from sage_rag.common.minilm.precision import Precision, fastest_precision
from sage_rag.privacy.entities import TAGGED
from sage_rag.privacy.recognizers.tagging.network import CLASSES
from sage_rag.privacy.recognizers.tagging.pieces import Pieces, pieces_of
from sage_rag.privacy.recognizers.windows import windows
from sage_rag.training.optimization import Progress, length_batches, train_changes
from sage_rag.training.recognition.examples import Example

UNKNOWN = -100
"""The label of a piece that may be private or not; it adds no loss."""

_WINDOW, _MARGIN = 126, 15
_COLUMNS = {entity_type: column for column, entity_type in enumerate(TAGGED)}


@dataclass(frozen=True, slots=True)
class Schedule:
    """Length and learning rate of a training.

    `batch_pieces`: word pieces per step. `rate`: the highest learning rate; it rises linearly over
    the first 6 % of the steps and then falls linearly to 0.
    """

    epochs: int = 3
    batch_pieces: int = 1024
    rate: float = 1e-3
    weight_decay: float = 0.01
    private_weight: float = 2.0
    """The weight of a private piece in the loss; other pieces have the weight 1."""


@dataclass(frozen=True, slots=True)
class LabelledWindow:
    """One training window; `labels` (n, types) are 0 to 2 or `UNKNOWN`."""

    row: Row
    labels: NDArray[np.int64]


def labelled_windows(example: Example) -> Iterator[LabelledWindow]:
    """Yield a text's windows, cut as the tagger cuts them."""
    pieces = pieces_of(example.text, base_tokenizer())
    labels = labels_of(example, pieces)
    for window in windows(len(pieces), size=_WINDOW, margin=_MARGIN):
        part = slice(window.start, window.end)
        yield LabelledWindow(pieces.between(window.start, window.end), labels[part])


def labels_of(example: Example, pieces: Pieces) -> NDArray[np.int64]:
    """Return the label of each piece and type: outside, begin, inside, or unknown."""
    labels = np.zeros((len(pieces), len(TAGGED)), dtype=np.int64)
    starts = np.array([start for start, _ in pieces.offsets], dtype=np.int64)
    ends = np.array([end for _, end in pieces.offsets], dtype=np.int64)
    for span in example.spans:
        inside = np.flatnonzero((ends > span.start) & (starts < span.end))
        if len(inside) and span.entity_type in _COLUMNS:
            labels[inside, _COLUMNS[span.entity_type]] = 2
            labels[inside[0], _COLUMNS[span.entity_type]] = 1
    for start, end in example.unsure:
        inside = np.flatnonzero((ends > start) & (starts < end))
        labels[inside] = np.where(labels[inside] == 0, UNKNOWN, labels[inside])
    for entity_type, column in _COLUMNS.items():
        if entity_type not in example.annotated:
            labels[:, column] = UNKNOWN
    return labels


def fit(
    network: Encoder,
    examples: Sequence[Example],
    schedule: Schedule,
    *,
    seed: int,
    progress: Progress,
) -> None:
    """Train a network in place.

    Guarantees: on one machine, the same examples, schedule, seed and number of threads give the
    same network.
    """
    torch.manual_seed(seed)
    order = random.Random(seed)  # noqa: S311 - not a secret
    labelled = [window for example in examples for window in labelled_windows(example)]
    lengths = [len(window.labels) + 2 for window in labelled]
    epochs = [length_batches(lengths, schedule.batch_pieces, order) for _ in range(schedule.epochs)]
    batches = [batch for epoch in epochs for batch in epoch]
    weight = torch.tensor([1.0, schedule.private_weight, schedule.private_weight])
    train_changes(
        network,
        batches,
        lambda batch: _loss(network, [labelled[i] for i in batch], weight),
        rate=schedule.rate,
        weight_decay=schedule.weight_decay,
        progress=progress,
    )


def _loss(network: Encoder, batch: Sequence[LabelledWindow], weight: torch.Tensor) -> torch.Tensor:
    ids, features, mask = padded([window.row for window in batch])
    labels = torch.full((*ids.shape, len(TAGGED)), UNKNOWN)
    for i, window in enumerate(batch):
        labels[i, 1 : len(window.labels) + 1] = torch.from_numpy(window.labels)
    half = fastest_precision() is Precision.HALF
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
        logits = network(ids, features, mask)
    return functional.cross_entropy(
        logits.float().view(-1, CLASSES), labels.view(-1), weight, ignore_index=UNKNOWN
    )
