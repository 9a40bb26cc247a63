"""Fit the reader to pairs of questions and texts."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from sage_rag.agents.reading.reader import new_network
from sage_rag.common.minilm.model import padded
from sage_rag.common.minilm.network import Encoder, load_base, second_segment
from sage_rag.common.minilm.precision import Precision, fastest_precision
from sage_rag.training.adapters import adapted
from sage_rag.training.optimization import Progress, length_batches, train_changes
from sage_rag.training.reading.examples import ReadingExample
from sage_rag.training.reading.schedule import ReaderSchedule

_GRADES = 10
"""Of shared words, within which answered and other questions are balanced."""
_LIGHTEST, _HEAVIEST = 0.5, 4.0
"""The limits of an example's weight."""
_Weighted = tuple[ReadingExample, float]
_NEVER = -1e4
"""The logit of a piece that cannot be in an answer; finite, so that no loss is infinite."""


def untrained_network() -> Encoder:
    """Return MiniLM with untrained adapters and head; the text has BERT's second segment."""
    network = new_network()
    load_base(network)
    segment = network.features[0]
    assert isinstance(segment, nn.Embedding)  # noqa: S101 - for the type checker
    with torch.no_grad():
        segment.weight[1] = second_segment()
    return adapted(network)


def fit_reader(
    network: Encoder,
    epochs: Sequence[Sequence[ReadingExample]],
    schedule: ReaderSchedule,
    *,
    seed: int,
    progress: Progress,
) -> None:
    """Train a network in place, on its device.

    Guarantees: on one machine, the same examples, schedule, seed and number of threads give the
    same network; not on a GPU.
    """
    torch.manual_seed(seed)
    order = random.Random(seed)  # noqa: S311 - not a secret
    batches: list[list[_Weighted]] = []
    for examples in epochs:
        drawn = _balanced(examples)
        lengths = [len(example.pair) + 2 for example, _ in drawn]
        for batch in length_batches(lengths, schedule.batch_pieces, order):
            batches.append([drawn[i] for i in batch])
    train_changes(
        network,
        batches,
        lambda batch: _loss(network, batch),
        rate=schedule.rate,
        weight_decay=schedule.weight_decay,
        progress=progress,
    )


def _balanced(examples: Sequence[ReadingExample]) -> list[_Weighted]:
    """Return examples with weights by which shared words are no sign of an answer.

    Among the examples that share about as many of their question's words with the text, those with
    and without an answer weigh the same together, within limits.
    """
    kinds = [(int(_GRADES * e.pair.shared), e.answer is not None) for e in examples]
    counts = Counter(kinds)

    def weight(grade: int, *, answered: bool) -> float:
        both = counts[grade, True] + counts[grade, False]
        return min(max(both / 2 / counts[grade, answered], _LIGHTEST), _HEAVIEST)

    return [(e, weight(grade, answered=a)) for e, (grade, a) in zip(examples, kinds, strict=True)]


def _loss(network: Encoder, batch: Sequence[_Weighted]) -> Tensor:
    """Return the loss of start and end, and of the verdict on whether there is an answer."""
    examples, weights = zip(*batch, strict=True)
    device = network.head.weight.device
    ids, features, mask = (part.to(device) for part in padded([e.pair.row for e in examples]))
    half = device.type != "cpu" or fastest_precision() is Precision.HALF
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=half):
        logits = network(ids, features, mask)
    logits = logits.float()
    allowed = torch.zeros(mask.shape, dtype=torch.bool)
    allowed[:, 0] = True  # stands for "no answer"
    for row, example in enumerate(examples):
        first = example.pair.first
        allowed[row, first : first + len(example.pair.offsets)] = True
    outside = ~allowed.to(device)
    borders = torch.tensor([example.answer or (0, 0) for example in examples], device=device)
    answered = torch.tensor([float(e.answer is not None) for e in examples], device=device)
    weight = torch.tensor(weights, device=device)
    start, end = (logits[..., n].masked_fill(outside, _NEVER) for n in range(2))
    stretch = functional.cross_entropy(start, borders[:, 0], reduction="none")
    stretch = stretch + functional.cross_entropy(end, borders[:, 1], reduction="none")
    verdict = functional.binary_cross_entropy_with_logits(
        logits[:, 0, 2], answered, reduction="none"
    )
    total: Tensor = ((stretch / 2 + verdict) * weight).sum() / weight.sum()
    return total
