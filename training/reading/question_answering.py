"""Fine-tune a model of the library transformers to read: larger than MiniLM, for a GPU.

Source: Devlin et al. (2019), BERT, §4.3: the mark at the beginning stands for "no answer".
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from sage_rag.agents.reading.backends.question_answering import (
    load_model,
    load_tokenizer,
    question_windows,
)
from sage_rag.training.optimization import Progress, length_batches, train_changes
from sage_rag.training.reading.examples import AskedText
from sage_rag.training.reading.schedule import ReaderSchedule

_NEVER = -1e4
"""The logit of a piece that cannot be in an answer."""


def fine_tune(
    base: Path,
    epochs: Sequence[Sequence[AskedText]],
    out: Path,
    schedule: ReaderSchedule,
    *,
    seed: int,
    progress: Progress,
) -> None:
    """Train the model in `base`, on a GPU where there is one, and write model and tokenizer.

    The embeddings of words stay as they are: most words are in no question.

    Raises:
        InputError: when there is no model in `base`.
    """
    tokenizer = load_tokenizer(base)
    torch.manual_seed(seed)
    model, _ = load_model(base)  # with a new head
    model.get_input_embeddings().requires_grad_(False)
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    order = random.Random(seed)  # noqa: S311 - not a secret
    batches: list[list[AskedText]] = []
    for examples in epochs:
        lengths = [len(e.question + e.text) // 4 + 3 for e in examples]
        for batch in length_batches(lengths, schedule.batch_pieces, order):
            batches.append([examples[i] for i in batch])
    train_changes(
        model,
        batches,
        lambda batch: _loss(model, tokenizer, batch),
        rate=schedule.rate,
        weight_decay=schedule.weight_decay,
        progress=progress,
    )
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)


def _loss(model: Any, tokenizer: Any, batch: Sequence[AskedText]) -> Tensor:
    """Return the loss of start and end; of a long text, in each of its windows."""
    windows = question_windows(tokenizer, [(asked.question, asked.text) for asked in batch])
    places = []
    for row, owner in enumerate(windows.owners):
        start, end = batch[owner].answer or (0, 0)
        at = [
            i
            for i, (first, last) in enumerate(windows.offsets[row])
            if first < end and last > start and windows.inside[row, i]
        ]
        places.append((at[0], at[-1]) if at else (0, 0))
    device = model.device
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        outputs = model(**windows.inputs.to(device))
    outside = ~windows.inside.to(device)
    outside[:, 0] = False  # stands for "no answer"
    target = torch.tensor(places, device=device)
    losses = [
        functional.cross_entropy(part.float().masked_fill(outside, _NEVER), target[:, n])
        for n, part in enumerate((outputs.start_logits, outputs.end_logits))
    ]
    total: Tensor = (losses[0] + losses[1]) / 2
    return total
