"""Fit the tagger to annotated texts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from sage_rag.privacy.entities import TAGGED
from sage_rag.privacy.recognizers.tagging.base import base_tokenizer
from sage_rag.privacy.recognizers.tagging.model import padded
from sage_rag.privacy.recognizers.tagging.network import CLASSES, TaggerNetwork
from sage_rag.privacy.recognizers.tagging.pieces import Pieces, Row, pieces_of
from sage_rag.privacy.recognizers.windows import windows
from sage_rag.training.recognition.examples import Example

UNKNOWN = -100
"""The label of a piece that its text says nothing about: no loss."""

_WINDOW, _MARGIN = 126, 15
_COLUMNS = {entity_type: column for column, entity_type in enumerate(TAGGED)}


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and how fast is learnt.

    `batch_pieces` word pieces share a step. `rate` is the highest learning rate, reached after
    the first 6 % of the steps and left in a straight line.
    """

    epochs: int = 3
    batch_pieces: int = 1024
    rate: float = 1e-3
    weight_decay: float = 0.01
    private_weight: float = 2.0
    """How much more a missed private piece costs than a false one."""


@dataclass(frozen=True, slots=True)
class LabelledWindow:
    """What one training window holds; `labels` (n, types) of 0 to 2 or `UNKNOWN`."""

    row: Row
    labels: NDArray[np.int64]


def labelled_windows(example: Example) -> Iterator[LabelledWindow]:
    """Yield a text's windows as the tagger will read them."""
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
        doubtful = np.flatnonzero((ends > start) & (starts < end))
        labels[doubtful] = np.where(labels[doubtful] == 0, UNKNOWN, labels[doubtful])
    for entity_type, column in _COLUMNS.items():
        if entity_type not in example.annotated:
            labels[:, column] = UNKNOWN
    return labels


def fit(
    network: TaggerNetwork,
    examples: Sequence[Example],
    schedule: Schedule,
    *,
    seed: int,
    progress: Callable[[int, int, float], None],
) -> None:
    """Train a network in place; `progress` hears of the step, of how many, and the recent loss.

    Guarantees: the same examples, schedule, seed and number of threads give the same network on
    the same machine.
    """
    torch.manual_seed(seed)
    order = random.Random(seed)  # noqa: S311 - no secret
    todo = [window for example in examples for window in labelled_windows(example)]
    epochs = [_batches(todo, schedule.batch_pieces, order) for _ in range(schedule.epochs)]
    batches = [batch for epoch in epochs for batch in epoch]
    trained = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=schedule.rate, weight_decay=schedule.weight_decay)
    rates = torch.optim.lr_scheduler.LambdaLR(optimizer, _triangle(len(batches)))
    weight = torch.tensor([1.0, schedule.private_weight, schedule.private_weight])
    network.train()
    recent = 0.0
    for step, batch in enumerate(batches, 1):
        loss = _loss(network, [todo[i] for i in batch], weight)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        rates.step()
        recent = loss.item() if step == 1 else 0.98 * recent + 0.02 * loss.item()
        progress(step, len(batches), recent)
    network.eval()


def _triangle(steps: int) -> Callable[[int], float]:
    warm_up = max(1.0, 0.06 * steps)
    return lambda step: min((step + 1) / warm_up, (steps - step) / steps)


def _loss(
    network: TaggerNetwork, batch: Sequence[LabelledWindow], weight: torch.Tensor
) -> torch.Tensor:
    ids, features, mask = padded([window.row for window in batch])
    labels = torch.full((*ids.shape, len(TAGGED)), UNKNOWN)
    for i, window in enumerate(batch):
        labels[i, 1 : len(window.labels) + 1] = torch.from_numpy(window.labels)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = network(ids, features, mask)
    return functional.cross_entropy(
        logits.float().view(-1, CLASSES), labels.view(-1), weight, ignore_index=UNKNOWN
    )


def _batches(todo: Sequence[LabelledWindow], pieces: int, order: random.Random) -> list[list[int]]:
    """Return the windows of each step: of like length, so that little is padding, and shuffled."""
    lengths = [len(window.labels) for window in todo]
    alike = sorted(range(len(todo)), key=lambda i: lengths[i] + order.random() * 20)
    batches: list[list[int]] = [[]]
    for i in alike:
        longest = max([lengths[i], *(lengths[j] for j in batches[-1])])
        if batches[-1] and (longest + 2) * (len(batches[-1]) + 1) > pieces:
            batches.append([])
        batches[-1].append(i)
    order.shuffle(batches)
    return batches
